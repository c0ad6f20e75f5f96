import { setTimeout as delay } from 'node:timers/promises';
import { runId } from '@weir/kit/ids';
import { connect } from '@weir/kit/rpc';
import { sql } from '@weir/kit/sql';
import { PointsPacker } from '@weir/points';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { instantAt, reading } from '../harness/points.js';
import { createTenant, type Tenant } from '../harness/tenant.js';
import { type Ended, tryWeir } from '../harness/weir.js';

/** So few runs fill the backlog, and so few submissions may wait for a commit. */
const backlogRunsMax = 300;
const waitingMax = 4;
/** What a change takes to be seen, at most. */
const seen = { timeout: 20_000, interval: 200 } as const;
/** Requests whose median tells how fast points are admitted, and how much slower it may be on a machine with other work. */
const measured = 120;
const slowerMax = 3;
const processor = 'processor-1';

let faults: FaultStack;
let tenant: Tenant;
let api: Api;
let variableId: string;
/** Each point is of an instant of its own. */
let second = 0;

type Answer = Awaited<ReturnType<typeof post>>;
type Body = { data?: { runs: { run_id: string }[] }; error?: { code: string } };

/** Sends points once. */
const post = (points = 1, key: string = crypto.randomUUID()) =>
  api.request<Body>('POST', '/v1/ingest', {
    json: { data: Array.from({ length: points }, () => reading('less', second++, 1)) },
    headers: { 'idempotency-key': key },
  });
const runOf = ({ body }: Answer): string => body.data?.runs[0]?.run_id ?? '';
const status = (): Promise<Ended> =>
  tryWeir(faults.stack.addresses, ['status'], {
    DATABASE_URL: faults.servers.databaseUrl,
    WEIR_METRICS_URL: faults.metricsUrl,
  });
const metric = (name: string): Promise<number> => faults.metric('ingestion', `weir_ingestion_${name}`);

/** That records, observations and runs are read. */
async function expectReads(): Promise<void> {
  const project = `/dev-api/v1/p/${tenant.projectId}`;
  for (const path of ['/variables', `/observations?variable_id=${variableId}&limit=10`, '/runs']) {
    expect(await api.request('GET', project + path), path).toMatchObject({ status: 200 });
  }
}

/** That `weir status` says so, and that not all is well. */
async function expectStatus(says: RegExp): Promise<void> {
  const { code, stdout } = await status();
  expect(stdout).toMatch(says);
  expect(code).toBe(1);
}

/** That what a test before had broken is well again. */
async function expectAllWell(): Promise<void> {
  await expect.poll(async () => (await status()).code, seen).toBe(0);
}

/** That an answer refuses points, and says when to send them again. */
function expectRefusal({ status: refused, headers, body }: Answer): void {
  expect([refused, body.error?.code]).toEqual([503, 'dependency_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** That all of these points are stored once they are processed. */
async function expectProcessed(answers: readonly Answer[]): Promise<void> {
  await faults.settled();
  for (const answer of answers) expect(await api.run(runOf(answer))).toMatchObject({ state: 'succeeded' });
}

beforeAll(async () => {
  const ingestion = { BACKLOG_RUNS_MAX: String(backlogRunsMax), ADMISSION_WAITING_MAX: String(waitingMax) };
  faults = await openFaultStack({ envOf: { ingestion } });
  tenant = await createTenant(faults.stack.addresses.access);
  api = apiOf(faults.stack.gatewayUrl, tenant);
  const first = await post();
  await faults.settled();
  variableId = (await api.run(runOf(first))).variables[0]?.variable_id ?? '';
});
afterAll(() => faults?.[Symbol.asyncDispose]());

beforeEach(expectAllWell);

/** Ends a server, or the processor, until disposed. */
async function away(name: 'nats' | 'redis' | 'postgres' | typeof processor): Promise<AsyncDisposable> {
  if (name !== processor) {
    await faults.servers.kill(name);
    return { [Symbol.asyncDispose]: () => faults.servers.start(name) };
  }
  await faults.stack.kill(processor);
  return { [Symbol.asyncDispose]: async () => void (await faults.stack.restart(processor)) };
}

test('L1: NATS is away: points are admitted, all is read, and processing resumes by itself', async () => {
  const admitted: Answer[] = [];
  {
    await using _ = await away('nats');
    await expect.poll(() => metric('stream_connected'), seen).toBe(0);
    admitted.push(await post(), await post());
    expect(admitted.map((answer) => answer.status)).toEqual([200, 200]);
    expect(await api.run(runOf(admitted[0] as Answer))).toMatchObject({ state: 'queued' });
    await expectReads();
    await expectStatus(/^stream\tAWAY/m);
  }
  await expectProcessed(admitted);
  expect(await metric('stream_connected')).toBe(1);
});

test('L2: Redis is away: everything goes on', async () => {
  const isDegraded = (): Promise<number> => faults.metric('gateway', 'weir_gateway_limits_degraded');
  {
    await using _ = await away('redis');
    const admitted = [await post(), await post()];
    expect(admitted.map((answer) => answer.status)).toEqual([200, 200]);
    await expectReads();
    // a gateway notices by its requests
    await expect.poll(isDegraded, seen).toBe(1);
    await expectProcessed(admitted);
    await expectStatus(/^limits\tREDIS IS AWAY: each gateway limits by its share$/m);
  }
  await expect.poll(isDegraded, seen).toBe(0);
});

test('L3: PostgreSQL is away: points are refused with Retry-After, and no process ends', async () => {
  const ended = faults.stack.processes.map(({ name, exited }) => exited.then(() => name));
  {
    await using _ = await away('postgres');
    expectRefusal(await post());
    await expect.poll(() => faults.metric('ingestion', 'weir_process_ready'), seen).toBe(0);
    expectRefusal(await post());
    await expectStatus(/^service ingestion\tNOT SERVING at /m);
  }
  await expect.poll(async () => (await post()).status, seen).toBe(200);
  expect(await Promise.race([...ended, delay(0, 'none')])).toBe('none');
});

/** Sends points one after the other. @returns the answers, and the median of what each took in milliseconds */
async function admitSome(): Promise<{ readonly answers: Answer[]; readonly medianMs: number }> {
  const answers: Answer[] = [];
  const times: number[] = [];
  for (let request = 0; request < measured; request++) {
    const beganMs = performance.now();
    answers.push(await post());
    times.push(performance.now() - beganMs);
  }
  expect(answers.filter((answer) => answer.status !== 200)).toEqual([]);
  return { answers, medianMs: times.sort((a, b) => a - b)[measured / 2] ?? 0 };
}

test('L4: processors stand still or are gone: points are admitted as fast as before, and the backlog grows', async () => {
  const before = await admitSome();
  await faults.settled();
  const waiting: Answer[] = [];
  const admitWaiting = async (): Promise<void> => {
    const { answers, medianMs } = await admitSome();
    waiting.push(...answers);
    expect(await metric('backlog_runs')).toBe(waiting.length);
    expect(medianMs / before.medianMs).toBeLessThan(slowerMax);
  };
  {
    const standing = faults.stack.process(processor);
    standing.kill('SIGSTOP');
    using _ = { [Symbol.dispose]: () => standing.kill('SIGCONT') };
    await admitWaiting();
    await using __ = await away(processor);
    await admitWaiting();
    expect(await metric('backlog_oldest_age_seconds')).toBeGreaterThan(0);
    expect((await status()).stdout).toMatch(new RegExp(`^queue\t${waiting.length} runs of `, 'm'));
    await expectReads();
  }
  await expectProcessed(waiting);
  expect(await metric('backlog_runs')).toBe(0);
});

test('L5: the backlog is full: points are refused until there is room, all is read, and what waits is processed', async () => {
  const filling: Answer[] = [];
  {
    await using _ = await away(processor);
    filling.push(await post(backlogRunsMax));
    await expect.poll(() => metric('backlog_full'), seen).toBe(1);
    const refused = await post(1, 'refused-once');
    expectRefusal(refused);
    expect(refused.headers.get('retry-after')).toBe('10');
    await expectReads();
    await expectStatus(/^queue\t.*; NOTHING MORE IS ADMITTED$/m);
  }
  await expectProcessed(filling);
  await expect.poll(() => metric('backlog_full'), seen).toBe(0);
  const { rows } = await faults.database.query(sql`
    select count(*)::int as count from ingestion.idempotency_keys where key = 'refused-once'`);
  expect(rows).toEqual([{ count: 0 }]);
  expect(await post(1, 'refused-once')).toMatchObject({ status: 200, body: { data: { replayed: false } } });
});

/** Waits until so many transactions wait for the table of batches. */
async function waitingAtBatches(count: number): Promise<void> {
  const text = sql`select count(*)::int as count from pg_locks where not granted and relation = 'ingestion.batches'::regclass`;
  await expect.poll(async () => (await faults.database.query(text)).rows, seen).toEqual([{ count }]);
}

test('L6: more waits for a commit than may: what waits is admitted, the rest is refused', async () => {
  using ingestion = connect(IngestionServiceDefinition, faults.stack.addresses.ingestion);
  const { projectId, connectionId } = tenant;
  const submit = () => {
    const packer = new PointsPacker();
    packer.beginPoint(Date.parse(instantAt(second++)) * 1000, undefined, 'less');
    packer.addValue('level', 1);
    const body = Buffer.from(packer.pack());
    const submission = { projectId, connectionId, idempotencyKey: '', provisioning: 'automatic', body };
    return ingestion.admit({ submissions: [{ ...submission, traceparent: '', requestId: '' }] });
  };
  const before = await metric('calls_unavailable_total');
  const { first, others } = await faults.database.transaction(async (tx) => {
    await tx.query(sql`lock table ingestion.batches in share mode`);
    const first = post();
    await waitingAtBatches(1);
    // calls of their own, for a gateway would keep them and send them together
    const others = Promise.allSettled(Array.from({ length: 15 * waitingMax }, submit));
    await expect.poll(() => metric('calls_unavailable_total'), seen).toBeGreaterThan(before);
    (await Promise.all(Array.from({ length: waitingMax }, () => post()))).forEach(expectRefusal);
    return { first, others };
  });
  const admitted = await first;
  expect(admitted.status).toBe(200);
  const admissions: string[] = [];
  for (const call of await others) {
    if (call.status === 'fulfilled') admissions.push(...call.value.admissions.map(({ batchId }) => batchId));
    else expect(call.reason).toMatchObject({ code: 'dependency_unavailable' });
  }
  expect(admissions.length).toBeGreaterThanOrEqual(waitingMax);
  expect(admissions.length).toBeLessThan(14 * waitingMax);
  await expectProcessed([admitted]);
  for (const batchId of admissions) expect(await api.run(runId(batchId, 0))).toMatchObject({ state: 'succeeded' });
});
