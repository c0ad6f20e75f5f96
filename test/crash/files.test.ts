import { setTimeout as delay } from 'node:timers/promises';
import { openPool } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { levels, levelsConfiguration, sendFile } from '../harness/files.js';
import { projectApiOf } from '../harness/project-api.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

type Json = ReturnType<typeof JSON.parse>;

const rows = 40_000;
/** Between parts of the file: long enough that it is under way when a process is killed. */
const pauseMs = 250;
/** The client goes on for so long: longer than all that is killed takes to come back. */
const persistenceMs = 120_000;

test('a file is read once and whole, though ingestion, gateway and processor are killed with -9 while it is sent', async () => {
  await using stack = await openTestStack({ envOf: { processor: { ACK_WAIT_MS: '5000' } } });
  const tenant = await createTenant(stack.addresses.access);
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const parser = await project.done('POST', '/parsers', { name: 'Levels', configuration: levelsConfiguration });
  const parts = [...levels(rows)];
  const slow = (): ReadableStream<Uint8Array> =>
    ReadableStream.from(
      (async function* () {
        for (const part of parts) {
          yield Buffer.from(part);
          await delay(pauseMs);
        }
      })(),
    ) as ReadableStream<Uint8Array>;
  const call = { parserId: parser.id, fileName: 'A.csv', idempotencyKey: 'file' };

  /** A client that sends the file until it is answered. */
  const client = (async (): Promise<{ run: Json; tries: number }> => {
    const endMs = performance.now() + persistenceMs;
    for (let tries = 1; performance.now() < endMs; tries++) {
      const answer = await sendFile(stack.gatewayUrl, tenant, slow(), call).catch(() => undefined);
      if (answer?.status === 200) return { run: answer.run, tries };
      expect([undefined, 500, 503]).toContain(answer?.status);
      await delay(300);
    }
    throw new Error('never answered');
  })();
  for (const name of ['ingestion', 'gateway', 'processor-1', 'ingestion', 'gateway']) {
    await delay(600);
    await stack.killAndRestart(name);
  }
  const { run, tries } = await client;
  expect(tries).toBeGreaterThan(1);
  expect(run).toMatchObject({ state: 'succeeded', counts: { rows, points: rows, errors: 0 } });
  expect(run.progress.points_admitted).toBe(rows);

  await stack.drained();
  const { items } = await project.done('GET', '/variables');
  const { timestamps, values } = await apiOf(stack.gatewayUrl, tenant).observations(items[0].id);
  expect(new Set(timestamps).size).toBe(rows);
  expect(values).toEqual(Array.from({ length: rows }, (_, row) => row / 8));
  expect((await project.done('GET', '/runs?kind=file')).items).toHaveLength(1);
  await using database = openPool({ url: stack.databaseUrl, max: 1 });
  const text = 'select sum(run_count) as runs from ingestion.batches where file_run_id = $1';
  expect((await database.query({ text, values: [run.run_id] })).rows).toEqual([{ runs: rows }]);
});
