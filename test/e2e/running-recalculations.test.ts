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

const pollMs = 100;
const count = 10_000;
let stack: TestStack;
let tenant: Tenant;
let api: Api;
let project: ProjectApi;
/** What is recalculated: `k` and a window that costs time. */
let bulk: { readonly id: string; readonly path: string; readonly levelId: string; readonly constantId: string };
let constantPath: string;
let firstRunId: string;

/** `k` plus a number, at the cost of windows that go so far back: the longest keep a recalculation busy for many seconds. */
const calculations = (plus: number, bufferS: number) => [
  {
    start_time: instantAt(0),
    expression: `k + ${plus} + 0 * ({now__________________} + median({window_1_____________}) + median({window_2_____________}))`,
    inputs: [
      { id: 'now__________________', kind: 'self_variable', variable_id: bulk.levelId },
      { id: 'window_1_____________', kind: 'self_variable', variable_id: bulk.levelId, past_buffer_seconds: bufferS },
      {
        id: 'window_2_____________',
        kind: 'self_variable',
        variable_id: bulk.levelId,
        past_buffer_seconds: bufferS + 1,
      },
      { kind: 'constant', constant_id: bulk.constantId },
    ],
  },
];
const [shortS, longS] = [60, 2 * count];

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
    calculations: calculations(0, longS),
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
    const edits = [
      [constantPath, steps(2)],
      [bulk.path, { calculations: calculations(1, shortS) }],
    ] as const;
    for (const [path, patch] of edits) {
      await recalculationWhen(project, runIds.at(-1) ?? '', isUnderWay);
      const edited = await project.done('PATCH', path, patch);
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
    calculations: calculations(2, longS),
  });
  await recalculationWhen(project, runId, isUnderWay);

  // a point of another instrument, and the newest one of what is being recalculated
  await api.ingest([reading('Live', 0, 21), reading('Bulk', count, 1)]);
  const doubles = await valuesWhen(double.resource.id, 1);
  const bulks = await valuesWhen(bulk.id, count + 1);
  expect([doubles, bulks.at(-1)]).toEqual([[42], 2 + 2]);
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

  // the next one does what was left, too
  const shorter = await project.done('PATCH', bulk.path, { calculations: calculations(3, shortS) });
  const done = await endedRecalculation(project, shorter.recalculation_batch_run_id);
  expect(done).toMatchObject({ state: 'succeeded', progress: { instants: { total: count + 1, done: count + 1 } } });
  expect(new Set((await api.observations(bulk.id)).values)).toEqual(new Set([2 + 3]));
});

test('a window of all that there is, read again and again, costs one reading', async () => {
  const { id: instrumentId } = await project.done('POST', '/instruments', { name: 'Wide' });
  const path = `/instruments/${instrumentId}`;
  const level = await project.done('POST', `${path}/ingested-variables`, { name: 'now' });
  const bulkInstrument = (await project.done('GET', `/variables/${bulk.levelId}`)).instrument_id;
  const wide = (bufferS: number) => ({
    name: 'wide',
    calculations: [
      {
        start_time: instantAt(0),
        expression: `${'median(level) + '.repeat(200)}count(level) * now`,
        inputs: [
          { kind: 'self_variable', variable_id: level.id },
          {
            kind: 'instrument_variable',
            variable_id: bulk.levelId,
            source_instrument_id: bulkInstrument,
            past_buffer_seconds: bufferS,
          },
        ],
      },
    ],
  });
  const yearS = 366 * 86_400;
  const refused = await project.call('POST', `${path}/calculated-variables`, wide(yearS + 1));
  expect([refused.status, refused.error?.details[0]?.path]).toEqual([
    400,
    '/calculations/0/inputs/1/past_buffer_seconds',
  ]);
  const made = await project.done('POST', `${path}/calculated-variables`, wide(yearS));
  await api.ingest([reading('Wide', count - 1, 0.5, 'now'), reading('Wide', count + 60, 0.5, 'now')]);
  // the middle of 0 to 96, over and over, and one point more
  const median = 48;
  expect(await valuesWhen(made.resource.id, 2)).toEqual([200 * median + count / 2, 200 * median + (count + 1) / 2]);
});
