import { expect, test } from 'vitest';
import type { VariableDeviation } from './run.js';
import { mergeEnd, toTried } from './tried-values.js';

const error = { code: 'variable_archived', message: 'It is archived.' };
const failed = (position: number): VariableDeviation => ({ position, outcome: 'failed', error });
const superseded = (position: number): VariableDeviation => ({ position, outcome: 'superseded' });
const before = { variables: [superseded(0), failed(2), failed(3)] };
const succeeded = { state: 'succeeded', variables: [] } as const;

test('what failed of a run is tried again, and all of one that failed', () => {
  const queued = { state: 'queued', attempts: 1, queuedEpoch: 1 } as const;
  const deviations = new Map([
    [1, { ...queued, ...before }],
    [2, { ...queued, variables: [] }],
  ]);
  expect(toTried([1, 2, 3], deviations)).toEqual([{ index: 1, positions: [2, 3] }]);
});

test('a run ends as it is told where all of it was tried', () => {
  const end = { state: 'failed', error, variables: [] } as const;
  expect(mergeEnd(undefined, end)).toBe(end);
  expect(mergeEnd({ variables: [] }, end)).toBe(end);
});

test('a run of which some was stored before has not failed', () => {
  const all = { state: 'failed', error, variables: [] } as const;
  expect(mergeEnd(before, all)).toEqual({ state: 'partially_succeeded', variables: before.variables });
  const some = { state: 'partially_succeeded', variables: [failed(1), superseded(2), failed(3)] } as const;
  expect(mergeEnd(before, some)).toEqual({
    state: 'partially_succeeded',
    variables: [superseded(0), superseded(2), failed(3)],
  });
  expect(mergeEnd(before, succeeded)).toEqual({ state: 'succeeded', variables: [superseded(0)] });
});
