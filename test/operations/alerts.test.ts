import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from '@weir/kit/sql';
import { freePorts, servingProcesses } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { root } from '../harness/checkout.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { gatewayEnv } from '../harness/gateway-env.js';
import { reading } from '../harness/points.js';
import { type Prometheus, startPrometheus } from '../harness/prometheus.js';
import { shellBlocks } from '../harness/shell-blocks.js';
import { createTenant } from '../harness/tenant.js';

const run = promisify(execFile);
const hasPrometheus = await run('prometheus', ['--version']).then(
  () => true,
  () => false,
);

/** Processing fails for this value while a fault is in. */
const poison = 666;
const pauseMs = 50;
/** More than the stream has room for, so that it is full before the backlog is. */
const backlogRunsMax = 100_000;
const opened = new AsyncDisposableStack();
const stop = new AbortController();
let faults: FaultStack;
let prometheus: Prometheus;
/** What the device sends at the moment. */
let sends = { value: 1, points: 1, key: '' };

/** A device that sends all the time, whatever is answered. */
async function sendAlways(): Promise<void> {
  const tenant = await createTenant(faults.stack.addresses.access);
  const api = apiOf(faults.stack.gatewayUrl, tenant);
  for (let second = 0; !stop.signal.aborted; ) {
    const points = Array.from({ length: sends.points }, () => reading('watched', second++, sends.value));
    const given = sends.key === '' ? {} : { key: sends.key };
    await api.request('POST', '/v1/ingest', { json: { data: points }, ...given }).catch(() => undefined);
    await delay(pauseMs);
  }
}

beforeAll(async () => {
  if (!hasPrometheus) return;
  const names = [...servingProcesses, 'processor-1'];
  const ports = await freePorts(names.length);
  const addresses = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${ports[i]}`] as const));
  const small = { NATS_STREAM_BYTES_MAX: '1048576' };
  const own: Record<string, Record<string, string>> = {
    'processor-1': small,
    ingestion: { ...small, BACKLOG_RUNS_MAX: String(backlogRunsMax) },
  };
  const envOf = Object.fromEntries(
    names.map((name) => [name, { ...own[name], METRICS_ADDRESS: addresses[name] ?? '' }] as const),
  );
  faults = opened.use(await openFaultStack({ envOf }));
  prometheus = opened.use(await startPrometheus(addresses));
  const sending = sendAlways();
  opened.defer(async () => {
    stop.abort();
    await sending;
  });
});
afterAll(() => opened.disposeAsync());

/** What the commands of an alert's section say, one after the other, whatever their exit codes; undefined where all are kubectl's. */
async function look(alert: string): Promise<string | undefined> {
  const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  const section = new RegExp(`^## ${alert}\n(.*?)^\\*\\*Do\\.\\*\\*`, 'ms').exec(runbook)?.[1] ?? '';
  const blocks = shellBlocks(section);
  if (blocks.length === 0) return undefined;
  const env = { PATH: process.env['PATH'], ...gatewayEnv(faults.stack) };
  const weir = `weir() { '${process.execPath}' '${root}/cli/dist/main.js' "$@" 2>&1 || true; }`;
  const { stdout } = await run('bash', ['-c', [weir, ...blocks].join('\n')], { env });
  return stdout;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Fault {
  readonly what: string;
  readonly inject: () => Promise<unknown>;
  readonly heal: () => Promise<unknown>;
  readonly alerts: readonly string[];
  /** How long it takes at most until there is what the alerts tell of, and until it is over, in seconds; a few unless given. */
  readonly comesWithinS?: number;
  readonly endsWithinS?: number;
  /** What the commands of the first alert's section show of it. */
  readonly shows?: RegExp;
}

const kill = (name: 'nats' | 'redis' | 'postgres') => ({
  inject: () => faults.servers.kill(name),
  heal: () => faults.servers.start(name),
});
const withoutProcessor = {
  inject: () => faults.stack.kill('processor-1'),
  heal: () => faults.stack.restart('processor-1'),
};
const send = (how: Partial<typeof sends>) => {
  sends = { value: 1, points: 1, key: '', ...how };
};

const injected: readonly Fault[] = [
  {
    ...kill('nats'),
    what: 'NATS is down (J3)',
    alerts: ['WeirStreamAway', 'WeirProcessNotReady', 'WeirStreamRefuses', 'WeirRunsDelayed'],
    shows: /AWAY/,
  },
  { ...kill('redis'), what: 'Redis is down (J1)', alerts: ['WeirLimitsDegraded'] },
  {
    ...kill('postgres'),
    what: 'PostgreSQL is down (J3)',
    // keys cannot be looked up either, so that what is refused is refused before the ingestion service
    alerts: ['WeirProcessNotReady', 'WeirErrorBudgetBurnsFast'],
    shows: /NOT SERVING/,
  },
  {
    ...withoutProcessor,
    what: 'all processors are killed (J1)',
    alerts: ['WeirRunsDelayed', 'WeirNothingProcessed', 'WeirRunsStuck'],
    shows: /the oldest since 20/,
  },
  {
    what: 'points cannot be processed (J6)',
    async inject() {
      await faults.database.query(sql`
        create function observations.refuse_poison() returns trigger language plpgsql as
        $$ begin raise exception 'poison'; end $$`);
      await faults.database.query(sql`
        create trigger poison before insert on observations.observations
        for each row when (new.value = 666) execute function observations.refuse_poison()`);
      send({ value: poison });
    },
    async heal() {
      send({});
      await faults.database.query(sql`drop trigger poison on observations.observations`);
      await faults.database.query(sql`drop function observations.refuse_poison()`);
    },
    alerts: ['WeirMessagesRetried', 'WeirBatchGivenUp', 'WeirRunsFail'],
    shows: /processing_error/,
  },
  {
    what: 'the stream is full, and then the backlog (J9)',
    async inject() {
      await withoutProcessor.inject();
      send({ points: 1000 });
    },
    async heal() {
      send({});
      await withoutProcessor.heal();
    },
    alerts: ['WeirStreamFull', 'WeirStreamRefuses', 'WeirBacklogFull', 'WeirAdmissionRefused'],
    shows: /NOTHING MORE IS ADMITTED/,
    // a hundred thousand points are sent, and processed
    comesWithinS: 60,
    endsWithinS: 60,
  },
  {
    what: 'somebody guesses keys',
    async inject() {
      send({ key: 'wrong' });
    },
    async heal() {
      send({});
    },
    alerts: ['WeirCredentialsGuessed'],
  },
];

/** On a machine that is busy. */
const aFewS = 15;

for (const { what, inject, heal, alerts, shows, comesWithinS = aFewS, endsWithinS = aFewS } of injected)
  test.runIf(hasPrometheus)(
    `O6: ${what}: ${alerts.join(', ')} fire in time, and rest when it is over`,
    { timeout: 400_000 },
    async () => {
      await prometheus.until('WeirAbsent', 'resting', aFewS);
      try {
        await inject();
        await Promise.all(alerts.map((alert) => prometheus.until(alert, 'firing', comesWithinS)));
        for (const alert of shows === undefined ? [] : alerts) {
          const seen = await look(alert);
          if (seen !== undefined) expect(seen).toMatch(shows as RegExp);
        }
      } finally {
        await heal();
      }
      await Promise.all(alerts.map((alert) => prometheus.until(alert, 'resting', endsWithinS)));
    },
  );

/** Panels that have nothing to show of what is not used: no collector. */
const unused = ['Spans'];

test.runIf(hasPrometheus)(
  'H24: each panel of the dashboards has data of a Weir that has seen all of this',
  async () => {
    const directory = join(root, 'charts/weir/monitoring/dashboards');
    const empty: string[] = [];
    for (const file of await readdir(directory)) {
      const { panels } = JSON.parse(await readFile(join(directory, file), 'utf8')) as { panels: Panel[] };
      for (const { title, targets = [] } of panels)
        for (const { expr } of targets) {
          const query = expr
            .replaceAll('$namespace', 'weir')
            .replaceAll('$pod', '.*')
            .replaceAll('$__rate_interval', '15m');
          if ((await prometheus.count(query)) === 0) empty.push(title);
        }
    }
    expect(empty).toEqual(unused);
  },
);
