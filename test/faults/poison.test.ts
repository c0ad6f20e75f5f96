import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { reading } from '../harness/points.js';
import { createTenant, type Tenant } from '../harness/tenant.js';
import { runWeir } from '../harness/weir.js';

/** What a planted fault makes of a value: see plants.mjs. */
const poisons = { throws: 666.125, 'ends the process': 666.25, 'hangs the process': 666.5 } as const;
/** What others send all the while: so many points, so often, which two processors could do with many times over. */
const offered = { points: 10, everyMs: 50 };
/** The least part of it that is processed while a poison is tried. */
const rateMin = 0.9;
/** So often one is tried: where the machine has other work, an ended processor may be long in coming back. */
const triesMax = 3;
const processors = ['processor-1', 'processor-2'] as const;

let planting: Planting;
let faults: FaultStack;
let tenant: Tenant;
let api: Api;

beforeAll(async () => {
  planting = openPlanting();
  faults = await openFaultStack({
    processors: processors.length,
    // a processor that hangs is ended after half of it, before its messages go to the other one
    envOf: { ...planting.envOf, processor: { ...planting.env, ACK_WAIT_MS: '10000' } },
    // whatever keeps processes running starts it again
    onUnexpectedExit: (group, name) => void group.restart(name),
  });
  tenant = await createTenant(faults.stack.addresses.access);
  api = apiOf(faults.stack.gatewayUrl, tenant);
});
afterAll(async () => {
  // its processes ended by themselves, which disposing tells
  await Promise.resolve(faults?.[Symbol.asyncDispose]()).catch((error: Error) => {
    if (!/^processor-[12] ended with (exit code 7|signal SIGKILL)/.test(error.message)) throw error;
  });
  planting[Symbol.dispose]();
});

/** Sends points steadily until told to stop; resolves to one run of each request. */
async function offer(stop: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for (let nextMs = performance.now(); !stop.aborted; nextMs += offered.everyMs) {
    await delay(Math.max(0, nextMs - performance.now()));
    const first = ids.length * offered.points;
    const points = Array.from({ length: offered.points }, (_, at) => reading('good', first + at, first + at));
    const { runs } = await api.ingest(points);
    ids.push(...runs.slice(0, 1).map((run) => run.run_id));
  }
  return ids;
}

/** How often a processor gave up a batch, as far as those tell that run. */
async function givenUp(): Promise<number> {
  const counts = processors.map((name) => faults.metric(name, 'weir_processor_batches_given_up_total').catch(() => 0));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Tries a poison amid the points of others; resolves to how much of these was processed meanwhile, beside what was admitted. */
async function tryAmidOthers(what: string, value: number): Promise<number> {
  const before = await givenUp();
  const stop = new AbortController();
  const offering = offer(stop.signal);
  const { runs } = await api.ingest([reading('poisonous', 0, 1), reading('poisonous', 1, value)]);
  const [poison = ''] = runs.map((run) => run.run_id);
  while ((await api.run(poison)).finished_at === null) await delay(100);
  stop.abort();
  const others = await offering;
  await faults.settled();
  for (const { run_id } of runs)
    expect(await api.run(run_id), what).toMatchObject({ state: 'failed', error: { code: 'processing_error' } });
  // between its admission and its end: what others were admitted with, and what of theirs came to its end, whenever it was admitted
  const poisonRun = await api.run(poison);
  const [begunMs, endedMs] = [Date.parse(poisonRun.created_at), Date.parse(poisonRun.finished_at ?? '')];
  const isWithin = (instant: string | null): boolean =>
    Date.parse(instant ?? '') >= begunMs && Date.parse(instant ?? '') <= endedMs;
  let [admitted, processed] = [0, 0];
  for (const id of others) {
    const run = await api.run(id);
    expect(run.state).toBe('succeeded');
    if (isWithin(run.created_at)) admitted++;
    if (isWithin(run.finished_at)) processed++;
  }
  expect(await faults.messages()).toBe(0);
  if (value === poisons.throws) expect(await givenUp()).toBeGreaterThan(before);
  // the payload is kept: with the cause gone, a retry stores it
  using _ = planting.plant('no-poison');
  const retried = await runWeir(faults.stack.addresses, ['runs', 'retry', ...runs.map((run) => run.run_id)]);
  for (const { run_id } of runs) expect(retried).toContain(run_id);
  await faults.settled();
  for (const { run_id } of runs) expect((await api.run(run_id)).state).toBe('succeeded');
  process.stdout.write(`${what}: ${processed} of ${admitted}\n`);
  return processed / admitted;
}

test.each(Object.entries(poisons))('J6: a point that %s fails alone, and can be retried', async (what, value) => {
  let rate = 0;
  for (let tries = 0; rate < rateMin && tries < triesMax; tries++) rate = await tryAmidOthers(what, value);
  // without a poison it is all of it
  expect(rate).toBeGreaterThanOrEqual(rateMin);
});
