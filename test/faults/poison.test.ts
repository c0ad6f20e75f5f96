import { setTimeout as delay } from 'node:timers/promises';
import { isServing } from '@weir/kit/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, apiOf, type Point } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { reading } from '../harness/points.js';
import { createTenant, type Tenant } from '../harness/tenant.js';
import { runWeir } from '../harness/weir.js';

/** What a planted fault makes of a value: see plant.mjs. */
const poisons = { throws: 666.125, 'ends the process': 666.25, 'hangs the process': 666.5 } as const;
/** A liveness probe of the chart: so often, so many failures in a row, and the process is ended. */
const probe = { everyMs: 1000, failuresMax: 3 };

let planting: Planting;
let faults: FaultStack;
let tenant: Tenant;
let api: Api;
const stop = new AbortController();

/** Ends a processor that does not answer, as Kubernetes does by the liveness probe of the chart. */
async function probeProcessors(): Promise<void> {
  let failures = 0;
  let probed = 0;
  while (!stop.signal.aborted) {
    await delay(probe.everyMs);
    const { address = '', pid } = faults.stack.process('processor-1');
    failures = pid === probed && !(await isServing(address)) ? failures + 1 : 0;
    probed = pid;
    if (failures === probe.failuresMax) killHung(pid);
  }
}

function killHung(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself, and is being started again
  }
}

let probing: Promise<void>;

beforeAll(async () => {
  planting = openPlanting();
  faults = await openFaultStack({
    envOf: { ...planting.envOf, processor: { ...planting.envOf['processor'], ATTEMPTS_MAX: '3' } },
    // whatever keeps processes running starts it again
    onUnexpectedExit: (group, name) => void group.restart(name),
  });
  tenant = await createTenant(faults.stack.addresses.access);
  api = apiOf(faults.stack.gatewayUrl, tenant);
  probing = probeProcessors();
});
afterAll(async () => {
  stop.abort();
  await probing;
  // its processes ended by themselves, which disposing tells
  await Promise.resolve(faults?.[Symbol.asyncDispose]()).catch((error: Error) => {
    if (!/^processor-1 ended with (exit code 7|signal SIGKILL)/.test(error.message)) throw error;
  });
  planting[Symbol.dispose]();
});

const good = (batch: number): Point[] =>
  Array.from({ length: 20 }, (_, at) => reading('good', batch * 20 + at, batch * 20 + at));

test.each(Object.entries(poisons))('J6: a point that %s fails alone, and can be retried', async (what, value) => {
  const before = await faults.metric('processor-1', 'weir_processor_batches_given_up_total').catch(() => 0);
  const first = await api.ingest(good(0));
  const { runs } = await api.ingest([reading('poisonous', 0, 1), reading('poisonous', 1, value)]);
  const later: string[] = [];
  for (let batch = 1; batch < 30; batch++) {
    later.push(...(await api.ingest(good(batch))).runs.map((run) => run.run_id));
    await delay(20);
  }
  await faults.settled();
  for (const { run_id } of runs)
    expect(await api.run(run_id), what).toMatchObject({ state: 'failed', error: { code: 'processing_error' } });
  for (const id of [...first.runs.map((run) => run.run_id), ...later])
    expect((await api.run(id)).state).toBe('succeeded');
  expect(await faults.messages()).toBe(0);
  if (value === poisons.throws)
    expect(await faults.metric('processor-1', 'weir_processor_batches_given_up_total')).toBeGreaterThan(before);
  // the payload is kept: with the cause gone, a retry stores it
  using _ = planting.plant('no-poison');
  const retried = await runWeir(faults.stack.addresses, ['runs', 'retry', ...runs.map((run) => run.run_id)]);
  for (const { run_id } of runs) expect(retried).toContain(run_id);
  await faults.settled();
  for (const { run_id } of runs) expect((await api.run(run_id)).state).toBe('succeeded');
});
