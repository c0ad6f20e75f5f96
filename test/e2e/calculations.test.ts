import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, apiOf, type Series } from '../harness/api.js';
import { waitUntilComputed } from '../harness/computed.js';
import { instantAt, reading } from '../harness/points.js';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import { endedRecalculation } from '../harness/recalculations.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

let stack: TestStack;
let api: Api;
let project: ProjectApi;

beforeAll(async () => {
  stack = await openTestStack();
});
afterAll(() => stack?.[Symbol.asyncDispose]());

beforeEach(async () => {
  const tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
  project = projectApiOf(stack.gatewayUrl, tenant);
});

const minute = (count: number): string => instantAt(count * 60);

/** An instrument with the variable `level`. */
async function createInstrument(name: string): Promise<{ id: string; path: string; levelId: string }> {
  const { id } = await project.done('POST', '/instruments', { name });
  const path = `/instruments/${id}`;
  const level = await project.done('POST', `${path}/ingested-variables`, { name: 'level' });
  return { id, path, levelId: level.id };
}

/** A calculated variable of one calculation from the first minute on. */
async function calculate(path: string, name: string, expression: string, inputs: readonly object[]) {
  const { resource, recalculation_batch_run_id: runId } = await project.done('POST', `${path}/calculated-variables`, {
    name,
    calculations: [{ start_time: minute(0), expression, inputs }],
  });
  return { id: resource.id as string, runId: runId as string, path: `${path}/calculated-variables/${resource.id}` };
}

const self = (id: string, more: object = {}): object => ({ kind: 'self_variable', variable_id: id, ...more });

/** One reading a minute, each with the value that is made of its minute. */
async function send(instrument: string, minutes: readonly number[], valueOf: (minute: number) => number) {
  await api.ingest(minutes.map((at) => reading(instrument, at * 60, valueOf(at))));
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, at) => start + at);

/** A series as values by minute. */
async function valuesOf(variableId: string): Promise<[minute: number, value: number][]> {
  const { timestamps, values }: Series = await api.observations(variableId);
  const startMs = Date.parse(minute(0));
  return timestamps.map((instant, at) => [(Date.parse(instant) - startMs) / 60_000, values[at] as number]);
}

test('new, late and corrected observations reach what is calculated from them, and what that is read by', async () => {
  const { path, levelId } = await createInstrument('Weir 1');
  const flow = await calculate(path, 'flow', 'level ^ 2', [self(levelId)]);
  const mean = await calculate(path, 'mean flow', 'mean({window_______________}) + 0 * {now__________________}', [
    self(flow.id, { id: 'now__________________' }),
    self(flow.id, { id: 'window_______________', past_buffer_seconds: 180 }),
  ]);
  expect((await endedRecalculation(project, flow.runId)).state).toBe('succeeded');
  await send('Weir 1', [0, 1, 2, 4], (at) => at);
  await waitUntilComputed(stack);
  expect(await valuesOf(flow.id)).toEqual([0, 1, 2, 4].map((at) => [at, at ** 2]));
  expect(await valuesOf(mean.id)).toEqual([
    [0, 0],
    [1, 0.5],
    [2, 5 / 3],
    [4, 10],
  ]);
  // a late one, and a correction of one that two windows hold
  await send('Weir 1', [3], () => 3);
  await send('Weir 1', [2], () => 0);
  await waitUntilComputed(stack);
  expect(await valuesOf(flow.id)).toEqual([0, 1, 0, 9, 16].map((value, at) => [at, value]));
  expect(await valuesOf(mean.id)).toEqual([0, 0.5, 1 / 3, 10 / 3, 25 / 3].map((value, at) => [at, value]));
});

test('what becomes missing is deleted, and comes back', async () => {
  const { path, levelId } = await createInstrument('Weir 2');
  const inverse = await calculate(path, 'inverse', '1 / level', [self(levelId)]);
  await send('Weir 2', [0, 1, 2], (at) => at);
  await waitUntilComputed(stack);
  expect(await valuesOf(inverse.id)).toEqual([
    [1, 1],
    [2, 0.5],
  ]);
  await send('Weir 2', [1], () => 0);
  await send('Weir 2', [0], () => 4);
  await waitUntilComputed(stack);
  expect(await valuesOf(inverse.id)).toEqual([
    [0, 0.25],
    [2, 0.5],
  ]);
  const { recalculation_batch_run_id: runId } = await project.done('PATCH', inverse.path, { value_type: 'integer' });
  const { progress } = await endedRecalculation(project, runId);
  expect(progress).toMatchObject({ instants: { total: 3, done: 3 }, missing: { division_by_zero: 1 } });
  // halves are rounded away from zero
  expect(await valuesOf(inverse.id)).toEqual([
    [0, 0],
    [2, 1],
  ]);
});

describe('editing one value of a constant', () => {
  test('evaluates what is in its interval and what depends on that, and counts it', async () => {
    const { id: instrumentId, path, levelId } = await createInstrument('Weir 3');
    const other = await createInstrument('Downstream');
    const steps = [0, 40, 70].map((at) => ({ start_time: minute(at), value: at + 1 }));
    const { resource } = await project.done('POST', `${path}/calibration-constants`, { name: 'k', values: steps });
    const constant = { kind: 'constant', constant_id: resource.id };
    const flow = await calculate(path, 'flow', 'level * k', [self(levelId), constant]);
    const next = await calculate(path, 'next', 'flow + 1', [self(flow.id)]);
    const mean = await calculate(path, 'mean', 'mean({window_______________}) + 0 * {now__________________}', [
      self(flow.id, { id: 'now__________________' }),
      self(flow.id, { id: 'window_______________', past_buffer_seconds: 300 }),
    ]);
    const asOf = await calculate(other.path, 'as of', 'level + flow', [
      self(other.levelId),
      {
        kind: 'instrument_variable',
        variable_id: flow.id,
        source_instrument_id: instrumentId,
        past_buffer_seconds: 90,
      },
    ]);
    await send('Weir 3', range(0, 100), (at) => at + 1);
    // every second minute only, and half a minute later
    await api.ingest(range(0, 50).map((at) => reading('Downstream', at * 120 + 30, 1)));
    await waitUntilComputed(stack);
    const before = await valuesOf(flow.id);

    const values = steps.with(1, { start_time: minute(40), value: 1000 });
    const edited = await project.done('PATCH', `${path}/calibration-constants/${resource.id}`, { values });
    const run = await endedRecalculation(project, edited.recalculation_batch_run_id);
    // flow and next: minutes 40 to 69; mean: those whose window of 5 minutes holds one of these, 40 to 73; as of: every
    // second minute from 40:30 to 68:30
    const evaluated = 30 + 30 + 34 + 15;
    expect(run).toMatchObject({
      state: 'succeeded',
      error: null,
      progress: { instants: { total: evaluated, done: evaluated }, missing: {} },
    });
    expect(run.progress.ranges).toMatchObject({ done: run.progress.ranges.total, skipped: 0 });
    const after = await valuesOf(flow.id);
    expect(after).toEqual(before.map(([at, value]) => [at, at >= 40 && at < 70 ? (at + 1) * 1000 : value]));
    expect(await valuesOf(next.id)).toEqual(after.map(([at, value]) => [at, value + 1]));
    expect((await valuesOf(asOf.id)).slice(19, 22)).toEqual([
      [38.5, 39 + 1],
      [40.5, 41_000 + 1],
      [42.5, 43_000 + 1],
    ]);
    const means = after.map(([at], index) => {
      const window = after.slice(Math.max(0, index - 4), index + 1).map(([, value]) => value);
      return [at, window.reduce((sum, value) => sum + value, 0) / window.length];
    });
    expect(await valuesOf(mean.id)).toEqual(means);
  });

  test('that nothing reads is a run with nothing to do', async () => {
    const { path } = await createInstrument('Weir 4');
    const values = [{ start_time: minute(0), value: 1 }];
    const { resource } = await project.done('POST', `${path}/calibration-constants`, { name: 'k', values });
    const changed = await project.done('PATCH', `${path}/calibration-constants/${resource.id}`, {
      values: [{ start_time: minute(0), value: 2 }],
    });
    expect(await project.done('GET', `/runs/${changed.recalculation_batch_run_id}`)).toMatchObject({
      state: 'succeeded',
      progress: { ranges: { total: 0, done: 0, skipped: 0 }, instants: { total: 0, done: 0 }, missing: {} },
    });
  });
});

test('expressions that are made to do harm are refused at once', async () => {
  const { path, levelId } = await createInstrument('Weir 5');
  const inputs = [self(levelId)];
  const hostile: readonly (readonly [expression: string, code: string])[] = [
    [`${'('.repeat(10_000)}level${')'.repeat(10_000)}`, 'too_long'],
    [`${'('.repeat(2000)}level${')'.repeat(2000)}`, 'too_deep'],
    [`level + ${'1+'.repeat(500_000)}1`, 'too_long'],
    [`level${' ^ 2'.repeat(1000)}`, 'too_deep'],
    [`level${'+1'.repeat(1023)}`, 'too_large'],
    [`${'abs('.repeat(1000)}`, 'too_deep'],
    ['constructor(level)', 'unknown_function'],
    ['level.constructor', 'invalid_character'],
  ];
  for (const [expression, code] of hostile) {
    const calculations = [{ start_time: minute(0), expression, inputs }];
    const answer = await project.call('POST', `${path}/calculated-variables`, { name: 'harm', calculations });
    const detail = answer.error?.details.find((one) => one.path === '/calculations/0/expression');
    expect([answer.status, detail?.code], expression.slice(0, 20)).toEqual([400, code]);
  }
  const { items } = await project.done('GET', `${path}/calculated-variables`);
  expect(items).toEqual([]);
});
