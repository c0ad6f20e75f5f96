import { randomUUID } from 'node:crypto';
import { errorOf, newProject } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calculationsOf, piece, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with six recalculations: queued, succeeded, queued, … and their ids. */
async function newRuns() {
  const projectId = newProject();
  const { calculated } = calculationsOf(service.client, projectId);
  const seed = seedOf(service.client, projectId);
  const { id } = await seed.instrument('logger');
  const level = await seed.variable('level', id);
  const runIds: string[] = [];
  for (let n = 0; n < 6; n++) {
    const { runId } = await calculated(`v${n}`, id, n % 2 === 0 ? [piece('level', [self(level.id)])] : []);
    runIds.push(runId);
  }
  const list = async (fields: object) => {
    const { recalculations } = await service.client.listRecalculations({ projectId, limit: 100, ...fields });
    return recalculations.map(({ runId }) => runIds.indexOf(runId));
  };
  return { projectId, runIds, list };
}

test('a recalculation tells its state, cause and times', async () => {
  const { client } = service;
  const before = Date.now() * 1000;
  const { projectId, runIds } = await newRuns();
  const { recalculation: queued } = await client.getRecalculation({ projectId, runId: runIds[0] ?? '' });
  expect(queued).toMatchObject({ projectId, state: 'queued', causeKind: 'calculated_variable' });
  expect(queued?.finishedAtUs).toBeUndefined();
  expect(queued?.createdAtUs).toBeGreaterThanOrEqual(before);
  const { recalculation: succeeded } = await client.getRecalculation({ projectId, runId: runIds[1] ?? '' });
  expect(succeeded?.state).toBe('succeeded');
  expect(Math.abs((succeeded?.finishedAtUs ?? 0) - (succeeded?.createdAtUs ?? 0))).toBeLessThan(60e6);
  for (const wrong of [
    { projectId: newProject(), runId: runIds[0] ?? '' },
    { projectId, runId: randomUUID() },
    { projectId, runId: 'x' },
    { projectId: 'x', runId: runIds[0] ?? '' },
  ]) {
    expect(await errorOf(client.getRecalculation(wrong))).toBe('not_found');
  }
});

test('are listed the newest first, by state, time and page', async () => {
  const { client } = service;
  const { projectId, runIds, list } = await newRuns();
  await newRuns();
  expect(await list({})).toEqual([5, 4, 3, 2, 1, 0]);
  expect(await list({ state: 'queued' })).toEqual([4, 2, 0]);
  expect(await list({ state: 'succeeded', limit: 2 })).toEqual([5, 3]);
  expect(await list({ state: 'running' })).toEqual([]);
  expect(await list({ after: runIds[3] })).toEqual([2, 1, 0]);
  expect(await list({ after: runIds[3], limit: 1, state: 'queued' })).toEqual([2]);
  // the id of a run of another kind tells a time like others
  expect(await list({ after: 'ffffffff-0000-7000-8000-000000000000' })).toEqual([5, 4, 3, 2, 1, 0]);

  const { recalculations } = await client.listRecalculations({ projectId, limit: 100 });
  const bound = recalculations[2]?.createdAtUs ?? 0;
  const after = recalculations
    .filter(({ createdAtUs }) => createdAtUs >= bound)
    .map(({ runId }) => runIds.indexOf(runId));
  expect(await list({ createdAfterUs: bound })).toEqual(after);
  expect(await list({ createdBeforeUs: bound })).toEqual([5, 4, 3, 2, 1, 0].filter((n) => !after.includes(n)));
  expect(await list({ createdBeforeUs: bound, after: runIds[5] })).toEqual(
    [5, 4, 3, 2, 1, 0].filter((n) => !after.includes(n)),
  );
  expect(await errorOf(list({ limit: 0 }))).toBe('invalid_request /limit');
  expect(await errorOf(list({ after: 'x' }))).toBe('invalid_request /after');
});
