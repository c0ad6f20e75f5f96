import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const kit = fileURLToPath(new URL('..', import.meta.url));

/** A process that makes far more spans than its queue holds, and tells what it counted and how long its end took. */
const script = `
  import { prometheusText } from '@weir/kit/metrics/prometheus';
  import { flushTelemetry, inSpan } from '@weir/kit/telemetry';
  import { setTimeout as delay } from 'node:timers/promises';
  const started = performance.now();
  for (let i = 0; i < 5000; i++) await inSpan('work', {}, async () => undefined);
  const workedMs = performance.now() - started;
  await delay(300);
  const text = await prometheusText();
  const flushing = performance.now();
  await flushTelemetry();
  process.stdout.write(JSON.stringify({ workedMs, flushMs: performance.now() - flushing, text }) + '\\n');
  process.exit(0);
`;

async function run(env: Readonly<Record<string, string>>): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', '@weir/kit/telemetry/preload', '--input-type=module', '-e', script],
    {
      cwd: kit,
      env: {
        PATH: process.env['PATH'],
        OTEL_SERVICE_NAME: 'test',
        OTEL_TRACES_SAMPLER: 'always_on',
        OTEL_BSP_SCHEDULE_DELAY: '50',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  return output.trim().split('\n');
}

interface Told {
  readonly flushMs: number;
  readonly text: string;
}

function toldBy(lines: readonly string[]): Told {
  return JSON.parse(lines.find((line) => line.includes('workedMs')) ?? '') as Told;
}

test('O4: a collector that is away drops spans, which are counted; one warning is logged, and the end is not held up', async () => {
  const lines = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  const { text, flushMs } = toldBy(lines);
  const dropped = /^otel_sdk_processor_span_processed_total\{error_type="queue_full"\} (\d+)$/m.exec(text)?.[1];
  expect(Number(dropped)).toBeGreaterThan(2000);
  expect(flushMs).toBeLessThan(2500);
  expect(lines.filter((line) => line.includes('telemetry is not delivered')).length).toBeLessThanOrEqual(1);
});

test('O4: a collector that never answers holds up nothing either', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const { flushMs } = toldBy(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }));
    expect(flushMs).toBeLessThan(2500);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('spans that a collector takes are counted as sent', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const { text } = toldBy(await run(env));
    expect(Number(/^otel_sdk_processor_span_processed_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
