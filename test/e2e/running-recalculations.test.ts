import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@weir/kit/rpc';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { waitUntilComputed } from '../harness/computed.js';
import { instantAt, reading } from '../harness/points.js';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import { endedRecalculation, readRecalculation, recalculationWhen } from '../harness/recalculations.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

const pollMs = 50;
const count = 10_000;
/** Of windows that keep a recalculation of all instants busy for some seconds, and for much longer. */
const [longS, longestS] = [1500, 10_000];

let stack: TestStack;
let tenant: Tenant;
let api: Api;
let project: ProjectApi;
/** What is recalculated: `k` and a window that costs time. */
let bulk: { readonly id: string; readonly path: string; readonly levelId: string; readonly constantId: string };
let constantPath: string;
let firstRunId: string;

const calculations = (bufferS: number) => [
  {
    start_time: instantAt(0),
    expression: 'k + 0 * ({now__________________} + median({window_______________}))',
    inputs: [
      { id: 'now__________________', kind: 'self_variable', variable_id: bulk.levelId },
      { id: 'window_______________', kind: 'self_variable', variable_id: bulk.levelId, past_buffer_seconds: bufferS },
      { kind: 'constant', constant_id: bulk.constantId },
    ],
  },
];

const steps = (value: number) => ({ values: [{ start_time: instantAt(0), value }] });

beforeAll(async () => {
  stack = await openTestStack();
  tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
  project = projectApiOf(stack.gatewayUrl, tenant);
  const instrument = await project.done('POST', '/instruments', { name: 'Bulk' });
  const path = `/instruments/${instrument.id}`;
  const level = await project.done('POST', `${path}/ingested-variables`, { name: 'level' });
  const constant = await project.done('POST', `${path}/calibration-constants`, { name: 'k', ...steps(1) });
  constantPath = `${path}/calibration-constants/${constant.resource.id}`;
  for (let from = 0; from < count; from += 1000) {
    await api.ingest(Array.from({ length: 1000 }, (_, at) => reading('Bulk', from + at, (from + at) % 97)));
  }
  await stack.drained();
  bulk = { id: '', path: '', levelId: level.id, constantId: constant.resource.id };
  const made = await project.done('POST', `${path}/calculated-variables`, {
    name: 'bulk',
    calculations: calculations(longS),
  });
  bulk = { ...bulk, id: made.resource.id, path: `${path}/calculated-variables/${made.resource.id}` };
  firstRunId = made.recalculation_batch_run_id;
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** The values of a variable, once there are so many. */
async function valuesWhen(variableId: string, least: number): Promise<number[]> {
  for (;;) {
    const { values } = await api.observations(variableId);
    if (values.length >= least) return values;
    await delay(pollMs);
  }
}

const isUnderWay = ({ state, progress }: Awaited<ReturnType<typeof readRecalculation>>): boolean =>
  state !== 'queued' && (progress.instants.done > 0 || state !== 'running');

test('of edits during a running recalculation the last one stands everywhere, and nothing goes back', async () => {
  const last = new Map<string, number>();
  const backwards: string[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const { timestamps, values } = await api.observations(bulk.id);
      for (const [at, instant] of timestamps.entries()) {
        const value = values[at] as number;
        if (value < (last.get(instant) ?? 0)) backwards.push(`${instant}: ${value} after ${last.get(instant)}`);
        last.set(instant, value);
      }
      await delay(pollMs);
    }
  };
  const watching = watch();
  const runIds = [firstRunId];
  try {
    for (const value of [2, 3]) {
      await recalculationWhen(project, runIds.at(-1) ?? '', isUnderWay);
      const edited = await project.done('PATCH', constantPath, steps(value));
      runIds.push(edited.recalculation_batch_run_id);
    }
    const runs = await Promise.all(runIds.map((runId) => endedRecalculation(project, runId)));
    await waitUntilComputed(stack);
    expect(runs).toMatchObject([
      { state: 'succeeded', error: null, progress: { ranges: { total: 1, done: 0, skipped: 1 } } },
      { state: 'succeeded', error: null, progress: { ranges: { total: 1, done: 0, skipped: 1 } } },
      {
        state: 'succeeded',
        error: null,
        progress: { ranges: { total: 1, done: 1, skipped: 0 }, instants: { total: count, done: count }, missing: {} },
      },
    ]);
  } finally {
    isOver = true;
    await watching;
  }
  expect(backwards).toEqual([]);
  const { values } = await api.observations(bulk.id);
  expect(values).toHaveLength(count);
  expect(new Set(values)).toEqual(new Set([3]));
});

test('live points wait for no recalculation, and one that is cancelled leaves what it has not computed', async () => {
  const { id: instrumentId } = await project.done('POST', '/instruments', { name: 'Live' });
  const path = `/instruments/${instrumentId}`;
  const level = await project.done('POST', `${path}/ingested-variables`, { name: 'level' });
  const double = await project.done('POST', `${path}/calculated-variables`, {
    name: 'double',
    calculations: [
      {
        start_time: instantAt(0),
        expression: '2 * level',
        inputs: [{ kind: 'self_variable', variable_id: level.id }],
      },
    ],
  });
  await waitUntilComputed(stack);
  const { recalculation_batch_run_id: runId } = await project.done('PATCH', bulk.path, {
    calculations: calculations(longestS),
  });
  await recalculationWhen(project, runId, isUnderWay);

  // a point of another instrument, and the newest one of what is being recalculated
  await api.ingest([reading('Live', 0, 21), reading('Bulk', count, 1)]);
  const doubles = await valuesWhen(double.resource.id, 1);
  const bulks = await valuesWhen(bulk.id, count + 1);
  expect([doubles, bulks.at(-1)]).toEqual([[42], 3]);
  expect(await readRecalculation(project, runId)).toMatchObject({ state: 'running', error: null });

  using variables = connect(VariablesServiceDefinition, stack.addresses.variables);
  const actor = { type: 'user', id: 'test' };
  const { projectId } = tenant;
  await variables.cancelRecalculation({ projectId, runId, actor });
  const cancelled = await endedRecalculation(project, runId);
  expect(cancelled).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
  await waitUntilComputed(stack);
  const { progress } = await readRecalculation(project, runId);
  expect(progress.instants.done).toBeLessThan(count);

  // a new one does what was left, too
  const shorter = await project.done('PATCH', bulk.path, { calculations: calculations(longS) });
  const done = await endedRecalculation(project, shorter.recalculation_batch_run_id);
  expect(done).toMatchObject({ state: 'succeeded', progress: { instants: { total: count + 1, done: count + 1 } } });
});
