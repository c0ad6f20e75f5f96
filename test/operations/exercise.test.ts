import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Checkout, openCheckout, root } from '../harness/checkout.js';

const seconds = 8;

let checkout: Checkout;
let up: ReturnType<typeof spawn>;
let told = '';
/** Asks the gateway for something that is read from no database. */
let ask: () => Promise<unknown>;
beforeAll(async () => {
  checkout = await openCheckout();
  const { PATH, HOME } = process.env;
  up = spawn('bash', ['-c', 'exec ./dev up --observe'], {
    cwd: root,
    env: { PATH, HOME, WEIR_DATA_DIR: checkout.dataDirectory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  up.stdout?.on('data', (bytes: Buffer) => {
    told += bytes.toString();
  });
  while (!told.includes('Ctrl-C stops it')) await delay(100);
  const { stdout } = await checkout.run('./dev env');
  const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const headers = { authorization: `Bearer ${valueOf('WEIR_API_KEY')}` };
  ask = async () => await (await fetch(`${valueOf('WEIR_URL')}/dev-api/v1/permissions`, { headers })).text();
});
afterAll(async () => {
  const exited = new Promise((resolve) => up.once('exit', resolve));
  up.kill('SIGINT');
  await exited;
  await checkout?.[Symbol.asyncDispose]();
});

/** The sum of the series of a metric that a process has, by the beginning of their lines and what is in them. */
async function metric(name: string, series: string, holding = ''): Promise<number> {
  const url = new RegExp(`^ +${name} +(http\\S+/metrics)$`, 'm').exec(told)?.[1] ?? '';
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(series) && line.includes(holding));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** What of each fault can be seen while it is in: greater than before. */
const signs: Readonly<Record<string, () => Promise<number>>> = {
  'slow-sql': async () =>
    (await metric('processor', 'db_client_operation_duration_seconds_count')) -
    (await metric('processor', 'db_client_operation_duration_seconds_bucket', ',le="0.25"}')),
  'slow-process': () => metric('observations', 'nodejs_eventloop_delay_max_seconds'),
  poison: () => metric('processor', 'weir_processor_messages_retried_total'),
  'redis-down': () => metric('gateway', 'weir_gateway_limits_degraded'),
  'nats-down': () => metric('ingestion', 'weir_ingestion_backlog_oldest_age_seconds'),
  'noisy-key': () => metric('gateway', 'weir_gateway_limits_refused_total{weir_limit="rate"'),
};

test.each(Object.keys(signs))(
  'O7: %s can be seen while it is in, is told at the end and is over then',
  async (fault) => {
    const sign = signs[fault] as () => Promise<number>;
    const before = await sign();
    let isOver = false;
    const exercise = checkout.run(`./dev exercise --fault ${fault} --seconds ${seconds}`).finally(() => {
      isOver = true;
    });
    let most = before;
    while (!isOver) {
      // the demo sends every 5 s: too little to show within a few
      await ask();
      most = Math.max(most, await sign());
      await delay(200);
    }
    const { code, stdout, stderr } = await exercise;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${fault}: .*\\n\\nIt shows: `, 'm'));
    expect(most).toBeGreaterThan(before);
    // what was put in is out: a point goes all the way
    const sent = await checkout.run(
      `eval "$(./dev env)" && export WEIR_URL WEIR_PROJECT_ID WEIR_API_KEY WEIR_INGEST_KEY && for try in 1 2 3 4 5; do node deploy/image/smoke-test.mjs && exit 0; sleep 2; done; exit 1`,
    );
    expect(sent.code, sent.stdout + sent.stderr).toBe(0);
  },
);

test('O7: every fault can be had by name', async () => {
  const source = await readFile(join(root, 'deploy/stack/src/exercise/faults.ts'), 'utf8');
  const names = [...source.matchAll(/^ {2}'?([a-z-]+)'?: \{$/gm)].map((match) => match[1]);
  expect(names).toEqual(Object.keys(signs));
});
