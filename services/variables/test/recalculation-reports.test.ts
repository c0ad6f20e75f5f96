import { randomUUID } from 'node:crypto';
import { openPool, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calculationsOf, piece, rangesOf, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with a calculated variable, and its first recalculation. */
async function newFlow() {
  const { client } = service;
  const projectId = newProject();
  const calculations = calculationsOf(client, projectId);
  const seed = seedOf(client, projectId);
  const { id: instrumentId } = await seed.instrument('logger');
  const level = await seed.variable('level', instrumentId);
  const inputs = [self(level.id)];
  const flow = await calculations.calculated('flow', instrumentId, [piece('level', inputs, 1000)]);
  const { runId } = flow;
  const key = { projectId, runId };
  const change = { projectId, actor: operator };
  return {
    ...{ ...calculations, projectId, instrumentId, seed, level, flow, runId, key, change },
    read: async () => (await client.getRecalculation(key)).recalculation,
    report: (state: string, progress?: object, errorCode = '') =>
      client.reportRecalculations({ reports: [{ ...key, state, errorCode, progress } as never] }),
    start: async (fields: object = {}) =>
      (await client.startRecalculation({ ...change, variableId: flow.id, ...fields })).recalculation,
    cancel: async (fields: object = {}) =>
      (await client.cancelRecalculation({ ...change, runId, ...fields })).recalculation,
  };
}

const none = { rangesTotal: 1, rangesDone: 0, rangesSkipped: 0, instantsTotal: 0, instantsDone: 0, missing: {} };

describe('reports', () => {
  test('lead from queued over running to an end, which stays', async () => {
    const { read, report } = await newFlow();
    expect(await read()).toMatchObject({ state: 'queued', errorCode: '', progress: none });
    const some = { ...none, instantsTotal: 10, instantsDone: 4, missing: { missing_input: 1 } };
    await report('running', some);
    expect(await read()).toMatchObject({ state: 'running', finishedAtUs: undefined, progress: some });
    const all = { ...some, rangesDone: 1, instantsDone: 10, missing: { missing_input: 1, overflow: 2 } };
    await report('succeeded', all);
    const ended = await read();
    expect(ended).toMatchObject({ state: 'succeeded', errorCode: '', progress: all });
    expect(ended?.finishedAtUs).toBeGreaterThan(0);
    await report('succeeded', all);
    await report('running', { ...all, instantsDone: 11 });
    await report('failed', all, 'processing_error');
    expect(await read()).toEqual(ended);
  });

  test('never take back what an earlier one said', async () => {
    const { read, report } = await newFlow();
    const newer = {
      ...none,
      rangesTotal: 3,
      rangesDone: 2,
      instantsTotal: 10,
      instantsDone: 8,
      missing: { overflow: 3 },
    };
    await report('running', newer);
    await report('running', { ...none, instantsTotal: 5, instantsDone: 4, missing: { overflow: 1 } });
    await report('running');
    expect((await read())?.progress).toEqual(newer);
    // instants that were skipped are no longer to be done
    await report('succeeded', { ...newer, rangesSkipped: 1, instantsTotal: 8 });
    expect((await read())?.progress).toEqual({ ...newer, rangesSkipped: 1, instantsTotal: 8 });
  });

  test('say why one failed', async () => {
    const { read, report } = await newFlow();
    expect(await errorOf(report('failed'))).toBe('invalid_request /reports/0/error_code');
    await report('failed', undefined, 'processing_error');
    expect(await read()).toMatchObject({ state: 'failed', errorCode: 'processing_error', progress: none });
  });

  test('of many runs come at once, twice and in any order, from several processors', async () => {
    const other = await service.another();
    const flows = await Promise.all(Array.from({ length: 8 }, newFlow));
    const reportsAt = (instantsDone: number) =>
      flows.map(({ key }) => ({
        ...key,
        state: instantsDone === 20 ? 'succeeded' : 'running',
        errorCode: '',
        progress: { ...none, instantsDone, instantsTotal: 20 },
      }));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const reports = reportsAt(n + 1);
        return (n % 2 === 0 ? service.client : other).reportRecalculations({
          reports: n % 3 === 0 ? reports : reports.toReversed(),
        });
      }),
    );
    for (const { read } of flows) {
      expect(await read()).toMatchObject({ state: 'succeeded', progress: { instantsTotal: 20 } });
    }
    const [flow] = flows;
    const repeated = reportsAt(1).slice(0, 1);
    await other.reportRecalculations({ reports: [...repeated, ...repeated] });
    await other.reportRecalculations({ reports: repeated.map((report) => ({ ...report, runId: randomUUID() })) });
    await other.reportRecalculations({ reports: [] });
    expect(await flow?.read()).toMatchObject({ state: 'succeeded' });
    const wrong = { projectId: 'x', runId: 'y', state: 'queued', errorCode: '', progress: undefined };
    expect(await errorOf(other.reportRecalculations({ reports: [wrong] }))).toBe(
      'invalid_request /reports/0/state /reports/0/project_id /reports/0/run_id',
    );
  });
});

describe('an operator', () => {
  test('recalculates a variable in a range, within the time in which it has values', async () => {
    const { start, projectId, flow } = await newFlow();
    const rangeOf = async (fields: object) =>
      (await rangesOf(service.databaseUrl, (await start(fields))?.runId ?? ''))[flow.id];
    const run = await start();
    expect(run).toMatchObject({ projectId, state: 'queued', causeKind: 'operator', causeId: flow.id });
    expect(await rangesOf(service.databaseUrl, run?.runId ?? '')).toEqual({ [flow.id]: ['1000 ∞'] });
    expect(await rangeOf({ startUs: 2000, endUs: 3000 })).toEqual(['2000 3000']);
    expect(await rangeOf({ startUs: 10, endUs: 1500 })).toEqual(['1000 1500']);
    expect(await rangeOf({ startUs: observationInstantMinUs - 1, endUs: observationInstantEndUs + 1 })).toEqual([
      '1000 ∞',
    ]);
    // before its first calculation there is nothing to do
    expect(await start({ endUs: 1000 })).toMatchObject({ state: 'succeeded', progress: { rangesTotal: 0 } });
  });

  test('recalculates what there is, is calculated and active', async () => {
    const { client } = service;
    const { start, seed, instrumentId, level, flow, change, calculated } = await newFlow();
    expect(await errorOf(start({ startUs: 5, endUs: 5 }))).toBe('invalid_request /end');
    for (const variableId of [randomUUID(), 'x', (await newFlow()).flow.id]) {
      expect(await errorOf(start({ variableId }))).toBe('not_found');
    }
    expect(await errorOf(start({ variableId: level.id }))).toBe('invalid_request path/variable_id');
    expect(await errorOf(start({ actor: undefined }))).toBe('invalid_request /actor');
    const empty = await calculated('empty', instrumentId, []);
    expect(await start({ variableId: empty.id })).toMatchObject({ state: 'succeeded' });
    await client.archiveVariable({ ...change, instrumentId, variableId: flow.id } as never);
    expect(await errorOf(start())).toBe('lifecycle_conflict path/variable_id');
    const { id } = await seed.instrument('hidden');
    const hidden = await calculated('hidden', id, []);
    await client.archiveInstrument({ ...change, instrumentId: id });
    expect(await errorOf(start({ variableId: hidden.id }))).toBe('lifecycle_conflict path/variable_id');
  });

  test('is told what of a variable cannot be evaluated, as it was saved before expressions were checked', async () => {
    const { start, flow } = await newFlow();
    await using pool = openPool({ url: service.databaseUrl, max: 1 });
    await pool.query(sql`update variables.calculations set expression = 'level (' where variable_id = ${flow.id}`);
    await expect(start()).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: '/calculations/0/expression', message: expect.stringMatching(/^Character \d+: /) }],
    });
  });

  test('cancels what has not ended, once', async () => {
    const { client } = service;
    const { cancel, read, report, runId, projectId, start } = await newFlow();
    await report('running', { ...none, instantsDone: 3, instantsTotal: 9 });
    const before = await client.listCalculationChanges({ limit: 1000 });
    expect(await cancel()).toMatchObject({ state: 'failed', errorCode: 'cancelled', progress: { instantsDone: 3 } });
    // processors hear of it later: what they had done by then counts, whatever they say of the run's end
    const ended = await read();
    await report('running', { ...none, instantsDone: 5, instantsTotal: 9, missing: { overflow: 1 } });
    await report('failed', { ...none, instantsDone: 7, instantsTotal: 7, missing: { overflow: 2 } }, 'cancelled');
    const counted = { ...none, instantsDone: 7, instantsTotal: 9, missing: { overflow: 2 } };
    expect(await read()).toEqual({ ...ended, progress: counted });
    await report('failed', { ...none, instantsDone: 6 }, 'processing_error');
    expect(await read()).toEqual({ ...ended, progress: counted });
    await report('succeeded', { ...counted, rangesDone: 1, instantsDone: 9 });
    expect(await read()).toEqual({ ...ended, progress: { ...counted, rangesDone: 1, instantsDone: 9 } });
    expect(await errorOf(cancel())).toBe('lifecycle_conflict path/run_id');
    // processors are told after all that the run consists of
    const after = await client.listCalculationChanges({ limit: 1000 });
    expect(after.changes.slice(before.changes.length)).toEqual([
      {
        id: expect.any(Number),
        projectId,
        cancelledRunId: runId,
        series: undefined,
        runId: '',
        runChanges: 0,
        traceparent: '',
        requestId: '',
        ranges: [],
      },
    ]);
    const other = await start();
    expect(await cancel({ projectId: '', runId: other?.runId })).toMatchObject({ projectId, state: 'failed' });
    for (const wrong of [{ runId: randomUUID() }, { runId: 'x' }, { projectId: newProject() }, { projectId: 'x' }]) {
      expect(await errorOf(cancel(wrong))).toBe('not_found');
    }
    await expect(cancel({ runId: randomUUID() })).rejects.toThrow('no other run can be cancelled');
  });

  test('of cancels and ends at the same time one comes first, and holds', async () => {
    const { client } = service;
    const other = await service.another();
    for (let round = 0; round < 6; round++) {
      const { report, read, change, runId } = await newFlow();
      const [one, two] = await Promise.all([
        errorOf(client.cancelRecalculation({ ...change, runId })),
        errorOf(other.cancelRecalculation({ ...change, runId })),
        report('succeeded', { ...none, rangesDone: 1 }),
      ]);
      const state = (await read())?.state;
      const cancelled = [one, two].filter((outcome) => outcome === 'no error');
      expect([cancelled.length, state]).toEqual(cancelled.length === 1 ? [1, 'failed'] : [0, 'succeeded']);
    }
  });

  test('sees the runs of all projects, newest first, by state', async () => {
    const { client } = service;
    const flows = [await newFlow(), await newFlow(), await newFlow()];
    await flows[1]?.report('running');
    const ids = flows.map(({ runId }) => runId).reverse();
    const list = async (fields: object) =>
      (await client.listRecalculations({ limit: 1000, ...fields })).recalculations.map(({ runId }) => runId);
    expect((await list({})).slice(0, 3)).toEqual(ids);
    expect(await list({ state: 'running', limit: 1 })).toEqual([ids[1]]);
    expect(await list({ limit: 1, after: ids[1] })).toEqual([ids[2]]);
    expect((await list({ state: 'queued' })).slice(0, 2)).toEqual([ids[0], ids[2]]);
    expect((await client.getRecalculation({ runId: ids[0] ?? '' })).recalculation?.projectId).toBe(flows[2]?.projectId);
    expect(await errorOf(client.getRecalculation({ runId: randomUUID() }))).toBe('not_found');
  });
});
