import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prometheusName } from '@weir/kit/metrics/prometheus';
import { openPool, sql } from '@weir/kit/sql';
import { freePorts } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { root } from '../harness/checkout.js';
import { declaredMetrics } from '../harness/declared-metrics.js';
import { gatewayEnv } from '../harness/gateway-env.js';
import { reading } from '../harness/points.js';
import { scriptOf, shellBlocks, sqlBlocks } from '../harness/shell-blocks.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

const names = ['gateway', 'access', 'variables', 'dashboards', 'parsers', 'ingestion', 'observations', 'processor'];
let ports: ReadonlyMap<string, number>;
let stack: TestStack;
let api: Api;

beforeAll(async () => {
  const free = await freePorts(names.length);
  ports = new Map(names.map((name, i) => [name, free[i] as number]));
  const envOf = Object.fromEntries(
    names.map((name) => [name, { METRICS_ADDRESS: `127.0.0.1:${ports.get(name)}` }] as const),
  );
  stack = await openTestStack({ envOf });
  api = apiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
  await api.ingest([reading('counted', 0, 1), reading('counted', 1, 2)]);
  await stack.drained();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scrape(name: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${ports.get(name)}/metrics`);
  expect(answer.status).toBe(200);
  return await answer.text();
}

/** The value of a series, by the beginning of its line. */
function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

test('every process tells what it has done, by the names that are declared', async () => {
  const texts = new Map(await Promise.all(names.map(async (name) => [name, await scrape(name)] as const)));
  const declared = new Set(Object.values(declaredMetrics).flatMap((all) => Object.values(all).map(prometheusName)));
  for (const [name, text] of texts) {
    const told = [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] as string);
    expect(
      told.filter((one) => !declared.has(one)),
      name,
    ).toEqual([]);
    expect(valueOf(text, 'weir_process_ready'), name).toBe(1);
    expect(valueOf(text, 'process_memory_usage_bytes'), name).toBeGreaterThan(1e7);
    expect(text, name).toMatch(/^nodejs_eventloop_delay_p99_seconds /m);
  }
  const { gateway, ingestion, processor, access } = Object.fromEntries(texts) as Record<string, string>;
  const ingest = 'http_request_method="POST",http_route="/v1/ingest",http_response_status_code="200"';
  expect(valueOf(gateway ?? '', `http_server_request_duration_seconds_count{${ingest}}`)).toBe(1);
  expect(valueOf(gateway ?? '', 'weir_gateway_limits_degraded')).toBe(0);
  expect(valueOf(ingestion ?? '', 'weir_ingestion_runs_admitted_total')).toBe(2);
  expect(valueOf(ingestion ?? '', 'weir_ingestion_runs_completed_total{weir_run_state="succeeded"}')).toBe(2);
  expect(valueOf(ingestion ?? '', 'weir_ingestion_backlog_runs')).toBe(0);
  expect(valueOf(ingestion ?? '', 'weir_ingestion_stream_connected')).toBe(1);
  expect(valueOf(processor ?? '', 'weir_processor_points_processed_total')).toBe(2);
  expect(valueOf(processor ?? '', 'weir_processor_lag_seconds_count{weir_delivery="first"}')).toBe(1);
  expect(valueOf(processor ?? '', 'weir_processor_marks{weir_lane="recalculation"}')).toBe(0);
  expect(access).toMatch(/rpc_server_call_duration_seconds_count\{rpc_method="weir\.access\.v1\.AccessService\//);
  expect(access).toMatch(/db_client_connection_max\{db_client_connection_pool_name="main"\} \d+/);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
/** A name of OpenTelemetry's conventions, which to promtool is a part of a histogram: docs/operations/telemetry.md. */
const named = 'db_client_connection_count non-histogram and non-summary metrics should not have "_count" suffix';

test.runIf(hasPromtool)('O5: promtool finds nothing wrong with what any process tells', async () => {
  for (const name of names) {
    const input = await scrape(name);
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    const told = (stdout + stderr).split('\n').filter((line) => line !== '');
    // a gateway has no database
    expect(told, name).toEqual(name === 'gateway' ? [] : [named]);
  }
});

/** Metrics whose series their declaration bounds: each attribute has one of a few values. They come as things happen, collections of garbage for one. */
const bounded = new Set(
  Object.values(declaredMetrics)
    .flatMap((all) => Object.values(all))
    .filter(({ attributes = {} }) => Object.values(attributes).every((values) => Array.isArray(values)))
    .map(prometheusName),
);

/** The series of all others, a histogram's buckets as one. */
function seriesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line) => {
    const [, name = '', labels = ''] = /^(\w+?)(?:_bucket|_sum|_count)?(\{.*\})? \S+$/.exec(line) ?? [];
    return bounded.has(name) ? '' : name + labels.replace(/,?le="[^"]*"/, '');
  });
  return [...new Set(series)].filter((one) => one !== '');
}

test('O5: a thousand projects make no more series than ten', { timeout: 300_000 }, async () => {
  const projects: string[] = [];
  const ingestInto = async (count: number): Promise<void> => {
    let left = count;
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const tenant = await createTenant(stack.addresses.access);
        projects.push(tenant.projectId);
        await apiOf(stack.gatewayUrl, tenant).ingest([reading('counted', 0, 1)]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));
    await stack.drained();
  };
  const scrapeAll = async (): Promise<string> => (await Promise.all(names.map(scrape))).join('\n');
  await ingestInto(10);
  const before = new Set(seriesOf(await scrapeAll()));
  await ingestInto(990);
  const after = await scrapeAll();
  expect(projects.filter((id) => after.includes(id))).toEqual([]);
  const added = seriesOf(after).filter((series) => !before.has(series));
  // rarer statements and calls come: a project that were a label would show in each metric, a thousand times
  expect(added.length, added.join('\n')).toBeLessThan(20);
});

test('commands of the runbook do what they say', async () => {
  const page = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  for (const block of page.matchAll(/^```bash\n(.*?)^```$/gms))
    for (const line of (block[1] ?? '').trimEnd().split('\n'))
      expect(line).toMatch(
        /^((weir\(\) \{ )?kubectl -n "\$NAMESPACE" (get|logs|exec|top|describe|scale|rollout|delete|port-forward)|helm -n "\$NAMESPACE" upgrade) /,
      );
  // a function, as the page makes it: what starts programs, such as xargs, does not find it
  const weir = `weir() { '${process.execPath}' '${root}/cli/dist/main.js' "$@"; }`;
  // many steps ask the same
  const blocks = [...new Set(shellBlocks(page).flatMap((block) => block.trimEnd().split('\n')))];
  // one that lacks a setting ends with 78, one that is typed wrongly with 2
  const { stderr } = await promisify(execFile)('bash', ['-c', `${weir}\n${scriptOf(blocks)}`], {
    env: { ...gatewayEnv(stack), PATH: process.env['PATH'] },
  });
  expect(stderr).not.toMatch(/error|usage/i);
});

test('the statement of the runbook shows what PostgreSQL is busy with', async () => {
  const page = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  const [text = ''] = sqlBlocks(page);
  await using database = openPool({ url: stack.databaseUrl, max: 2 });
  await database.transaction(async (tx) => {
    const { rows: own } = await tx.query(sql`select pg_backend_pid() as pid`);
    const { rows } = await database.query({ text, values: [] });
    expect(rows).toContainEqual(
      expect.objectContaining({
        ...own[0],
        state: 'idle in transaction',
        waits_for: [],
        query: 'select pg_backend_pid() as pid',
      }),
    );
  });
});
