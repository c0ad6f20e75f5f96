import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { levelsConfiguration, sendFile } from '../harness/files.js';
import { projectApiOf } from '../harness/project-api.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

const mebibyte = 1024 * 1024;
/** Size of the file: WEIR_FILE_MIB=1024 is the promise itself, and takes minutes. */
const fileBytes = Number(process.env['WEIR_FILE_MIB'] ?? '96') * mebibyte;
/** Of so many rows one has a value: reading is what is measured, not the database. 1 with WEIR_FILE_DENSE. */
const rowsPerPoint = process.env['WEIR_FILE_DENSE'] === undefined ? 500 : 1;
/** The level of memory is taken after so much of the file. */
const settledBytes = 10 * mebibyte;
const growthBytesMax = 64 * mebibyte;

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

test('the memory of the gateway does not grow with the file that it reads', { timeout: 3_600_000 }, async () => {
  await using stack = await openTestStack({
    envOf: { gateway: { FILE_BYTES_MAX: String(2 * fileBytes), FILE_TIMEOUT_MS: '3600000' } },
  });
  const tenant = await createTenant(stack.addresses.access);
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const parser = await project.done('POST', '/parsers', { name: 'Levels', configuration: levelsConfiguration });
  const { pid } = stack.process('gateway');
  let settled: number | undefined;
  let peak = 0;
  let rows = 0;
  let points = 0;
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    let sent = 0;
    yield Buffer.from('time,level\n');
    const startMs = Date.UTC(2000, 0, 1);
    while (sent < fileBytes) {
      let text = '';
      while (text.length < 256 * 1024) {
        const hasValue = rows % rowsPerPoint === 0;
        text += `${new Date(startMs + rows * 1000).toISOString()},${hasValue ? rows : ''}\n`;
        rows++;
        if (hasValue) points++;
      }
      const part = Buffer.from(text);
      sent += part.length;
      yield part;
      const resident = await residentBytes(pid);
      if (sent >= settledBytes) settled ??= resident;
      peak = Math.max(peak, resident);
    }
  };
  const began = performance.now();
  const { status, run } = await sendFile(stack.gatewayUrl, tenant, ReadableStream.from(parts()) as ReadableStream, {
    parserId: parser.id,
    fileName: 'A.csv',
  });
  const seconds = (performance.now() - began) / 1000;
  expect([status, run.counts]).toEqual([200, { rows, points, errors: 0, missing: rows - points, skipped: 0 }]);
  const growth = peak - (settled ?? 0);
  const mib = (bytes: number): string => (bytes / mebibyte).toFixed(0);
  process.stdout.write(
    `${mib(fileBytes)} MiB in ${seconds.toFixed(1)} s; after 10 MiB the gateway had ${mib(settled ?? 0)} MiB, and ${mib(growth)} MiB more at most\n`,
  );
  expect(growth).toBeLessThan(growthBytesMax);
  await stack.drained();
});
