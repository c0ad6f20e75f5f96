import { openPool, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { observationInstantEndUs } from '@weir/kit/time';
import type { CalculationChange } from '@weir/proto/variables';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calculationsOf, constantInput, foreign, piece, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

async function takeAll(limit = 100): Promise<CalculationChange[]> {
  const taken: CalculationChange[] = [];
  for (;;) {
    const { changes } = await service.client.listCalculationChanges({ limit });
    if (changes.length === 0) return taken;
    taken.push(...changes);
    await service.client.acknowledgeCalculationChanges({ ids: changes.map(({ id }) => id) });
  }
}
beforeEach(async () => {
  await takeAll();
});

async function newLogger(projectId = newProject(), name = 'logger') {
  const seed = seedOf(service.client, projectId);
  const { id: instrumentId } = await seed.instrument(name);
  const key = { projectId, instrumentId };
  const of = { ...key, actor: operator };
  return {
    ...calculationsOf(service.client, projectId),
    ...key,
    of,
    seed,
    level: await seed.variable('level', instrumentId),
  };
}

const end = observationInstantEndUs;
const shown = ({ series, runId, runChanges, ranges }: CalculationChange) => ({
  variableId: series?.variableId,
  isActive: series?.isActive,
  runId,
  runChanges,
  ranges: ranges.map(({ startUs, endUs }) => [startUs, endUs]),
});

test('a change tells all that computing needs', async () => {
  const there = await newLogger();
  const here = await newLogger(there.projectId, 'here');
  const values = [0, 10, 20, 30].map((startTimeUs) => ({ startTimeUs, value: startTimeUs / 7 }));
  const slope = await here.constant('slope', here.instrumentId, { values });
  const base = await here.calculated('base', here.instrumentId, [piece('level', [self(here.level.id)])]);
  await takeAll();
  const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(21));
  const inputs = [
    { id: ids[0], ...self(base.id) },
    { id: ids[1], ...foreign(there.level.id, there.instrumentId, { pastBufferSeconds: 60.5 }) },
    { id: ids[2], ...constantInput(slope.id) },
  ];
  const flow = await here.calculated(
    'flow',
    here.instrumentId,
    [piece('base + mean(level) * slope', inputs, 5), piece('base', [{ id: ids[3], ...self(base.id) }], 25)],
    { valueType: 'integer' },
  );
  const input = { kind: 'self_variable', alias: 'base', variableKey: base.variableKey, isCalculated: true, steps: [] };
  const [change, ...others] = await takeAll();
  expect(others).toEqual([]);
  expect(change).toEqual({
    id: expect.any(Number),
    projectId: here.projectId,
    cancelledRunId: '',
    runId: flow.runId,
    runChanges: 1,
    traceparent: '',
    requestId: '',
    ranges: [{ startUs: 5, endUs: end }],
    series: {
      projectId: here.projectId,
      instrumentId: here.instrumentId,
      variableId: flow.id,
      variableKey: flow.variableKey,
      configurationGeneration: 1,
      version: 2,
      valueType: 'integer',
      isActive: true,
      pieces: [
        {
          startUs: 5,
          expression: 'base + mean(level) * slope',
          inputs: [
            { id: ids[0], ...input },
            {
              ...{ id: ids[1], kind: 'instrument_variable', alias: 'level', variableKey: there.level.variableKey },
              ...{ isCalculated: false, pastBufferSeconds: 60.5, steps: [] },
            },
            // of its steps those that hold from 5 until 25
            {
              ...{ id: ids[2], kind: 'constant', alias: 'slope', variableKey: 0, isCalculated: false },
              steps: values.slice(0, 3),
            },
          ],
        },
        { startUs: 25, expression: 'base', inputs: [{ id: ids[3], ...input }] },
      ],
    },
  });
});

describe('a change is told', () => {
  test('of all that changes what a variable computes, in order, at rising versions', async () => {
    const { client } = service;
    const { calculated, update, instrumentId, level, of } = await newLogger();
    const inputs = [self(level.id)];
    const flow = await calculated('flow', instrumentId, [piece('level', inputs)]);
    const told = async () => (await takeAll()).map((change) => ({ ...shown(change), version: change.series?.version }));
    const whole = { variableId: flow.id, isActive: true, runChanges: 1, ranges: [[0, end]] };
    expect(await told()).toEqual([{ ...whole, runId: flow.runId, version: 1 }]);
    const changed = await update(flow, {
      calculations: { items: [piece('level', inputs), piece('level * 2', inputs, 9)] },
    });
    expect(await told()).toEqual([{ ...whole, runId: changed.runId, ranges: [[9, end]], version: 2 }]);
    // another type of values is another value everywhere
    const typed = await update(flow, { valueType: 'boolean' });
    expect(await told()).toEqual([{ ...whole, runId: typed.runId, version: 3 }]);
    await client.archiveVariable({ ...of, variableId: flow.id });
    const none = { isActive: false, runId: '', runChanges: 0, ranges: [] };
    expect(await told()).toEqual([{ variableId: flow.id, ...none, version: 4 }]);
    const { recalculationBatchRunId } = await client.restoreVariable({ ...of, variableId: flow.id });
    expect(await told()).toEqual([{ ...whole, runId: recalculationBatchRunId, version: 5 }]);
  });

  test('of nothing else', async () => {
    const { client } = service;
    const { calculated, constant, update, updateConstant, instrumentId, seed, level, of } = await newLogger();
    const inputs = [self(level.id)];
    const flow = await calculated('flow', instrumentId, [piece('level', inputs)]);
    await takeAll();
    const empty = await calculated('empty', instrumentId, []);
    await update(empty, { valueType: 'integer' });
    await update(flow, { name: 'Flow', alias: 'q', unit: 'l/s' });
    const tokens = [{ kind: 'text', text: 'Level' }];
    await update(flow, { calculations: { items: [piece('level', inputs, 0, { editorTokens: tokens })] } });
    const slope = await constant('slope', instrumentId);
    await updateConstant(slope, { values: { items: [{ startTimeUs: 0, value: 2 }] } });
    await client.archiveConstant({ ...of, constantId: slope.id });
    await client.restoreConstant({ ...of, constantId: slope.id });
    const other = await seed.variable('other', instrumentId);
    await client.archiveVariable({ ...of, variableId: other.id });
    const { id: bare } = await seed.instrument('bare');
    await client.archiveInstrument({ ...of, instrumentId: bare });
    expect(await takeAll()).toEqual([]);
  });

  test('of each variable that reads a constant, where it reads it', async () => {
    const { calculated, constant, updateConstant, instrumentId, level } = await newLogger();
    const slope = await constant('slope', instrumentId, {
      values: [0, 10, 20].map((at) => ({ startTimeUs: at, value: at })),
    });
    const reads = [self(level.id), constantInput(slope.id)];
    const always = await calculated('always', instrumentId, [piece('level * slope', reads)]);
    const late = await calculated('late', instrumentId, [
      piece('level', [self(level.id)]),
      piece('level * slope', reads, 15),
    ]);
    await calculated('never', instrumentId, [piece('level', [self(level.id)])]);
    await takeAll();
    const items = [0, 10, 20].map((at) => ({ startTimeUs: at, value: at === 10 ? 7 : at }));
    const { runId } = await updateConstant(slope, { values: { items } });
    const told = (await takeAll()).map(shown).sort(({ variableId }) => (variableId === always.id ? -1 : 1));
    const of = { isActive: true, runId, runChanges: 2 };
    expect(told).toEqual([
      { ...of, variableId: always.id, ranges: [[10, 20]] },
      { ...of, variableId: late.id, ranges: [[15, 20]] },
    ]);
  });

  test('of the variables that go and come with their instrument', async () => {
    const { client } = service;
    const { calculated, instrumentId, level, of } = await newLogger();
    const inputs = [self(level.id)];
    const [one, two, gone] = [
      await calculated('one', instrumentId, [piece('level', inputs)]),
      await calculated('two', instrumentId, [piece('level', inputs)]),
      await calculated('gone', instrumentId, [piece('level', inputs)]),
    ];
    await client.archiveVariable({ ...of, variableId: gone.id });
    await takeAll();
    await client.archiveInstrument(of);
    const none = { isActive: false, runId: '', runChanges: 0, ranges: [] };
    expect((await takeAll()).map(shown)).toEqual([one, two].map(({ id: variableId }) => ({ variableId, ...none })));
    const { recalculationBatchRunId: runId } = await client.restoreInstrument(of);
    const back = (await takeAll()).map(shown);
    expect(back).toEqual(
      [one, two].map(({ id: variableId }) => ({
        ...{ variableId, isActive: true, runId, runChanges: 2, ranges: [[0, end]] },
      })),
    );
    // one that is active already changes nothing, and answers a run that says so
    const { recalculationBatchRunId: second } = await client.restoreInstrument(of);
    const { recalculation } = await client.getRecalculation({ projectId: of.projectId, runId: second });
    expect([second === runId, recalculation]).toMatchObject([
      false,
      { state: 'succeeded', causeKind: 'instrument', causeId: instrumentId, progress: { rangesTotal: 0 } },
    ]);
    expect(await takeAll()).toEqual([]);
  });

  test('with the definition as it is by now, which may be a later one', async () => {
    const { client } = service;
    const { calculated, update, instrumentId, level, of } = await newLogger();
    const inputs = [self(level.id)];
    const flow = await calculated('flow', instrumentId, [piece('level', inputs)]);
    await update(flow, { calculations: { items: [piece('level * 2', inputs)] } });
    const { changes } = await client.listCalculationChanges({ limit: 10 });
    expect(changes.map(({ series }) => [series?.version, series?.pieces[0]?.expression])).toEqual([
      [2, 'level * 2'],
      [2, 'level * 2'],
    ]);
    await client.archiveVariable({ ...of, variableId: flow.id });
    const later = (await takeAll()).map(({ series, ranges }) => [series?.isActive, series?.pieces, ranges.length]);
    expect(later).toEqual([
      [false, [], 1],
      [false, [], 1],
      [false, [], 0],
    ]);
  });
});

test('comes again until it is acknowledged, page by page, and of a heavy page less than is asked for', async () => {
  const { client } = service;
  const { calculated, projectId, instrumentId, level } = await newLogger();
  const inputs = [self(level.id)];
  const runIds: string[] = [];
  for (const name of ['v0', 'v1']) runIds.push((await calculated(name, instrumentId, [piece('level', inputs)])).runId);
  await using pool = openPool({ url: service.databaseUrl, max: 1 });
  await pool.query(sql`insert into variables.calculations (project_id, variable_id, id, start_at, expression, editor_tokens)
    select project_id, id, lpad(n::text, 21, '0'), to_timestamp(n), repeat('1 + ', 1000) || '1', '[]'
    from variables.variables, generate_series(1, 300) as n
    where project_id = ${projectId} and variable_type = 'calculated'`);
  const list = async (limit: number) => (await client.listCalculationChanges({ limit })).changes;
  const [first, ...others] = await list(10);
  expect([first?.runId, others]).toEqual([runIds[0], []]);
  expect(first?.series?.pieces).toHaveLength(301);
  expect((await list(10)).map(({ id }) => id)).toEqual([first?.id]);
  const later = await client.listCalculationChanges({ limit: 10, after: first?.id ?? 0 });
  expect(later.changes.map(({ runId }) => runId)).toEqual(runIds.slice(1));
  for (let n = 0; n < 2; n++) await client.acknowledgeCalculationChanges({ ids: [first?.id ?? 0] });
  await client.acknowledgeCalculationChanges({ ids: [] });
  expect((await takeAll(10)).map(({ runId }) => runId)).toEqual(runIds.slice(1));
  expect(await errorOf(client.listCalculationChanges({ limit: 0 }))).toBe('invalid_request /limit');
});
