import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calculationsOf, constantInput, foreign, piece, rangesOf, reading, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** An instrument with an ingested variable `level` and a constant `slope`. */
async function newLogger(projectId = newProject()) {
  const seed = seedOf(service.client, projectId);
  const calculations = calculationsOf(service.client, projectId);
  const { id: instrumentId } = await seed.instrument(`logger ${randomUUID()}`);
  const level = await seed.variable('level', instrumentId);
  const slope = await calculations.constant('slope', instrumentId);
  return { ...calculations, projectId, seed, instrumentId, level, slope };
}

const idOf = (letter: string): string => letter.repeat(21);

describe('create', () => {
  test('a variable with everything, which is read as it is created', async () => {
    const { client } = service;
    const { calculated, projectId, instrumentId, level, slope, run } = await newLogger();
    const fields = { alias: 'flow', unit: 'm³/s', expectedCadenceS: 900, isTimeVariable: true, valueType: 'integer' };
    const inputs = [
      { id: idOf('i'), ...self(level.id, { sourceInstrumentId: instrumentId, pastBufferSeconds: 1800.5 }) },
      { id: idOf('j'), ...constantInput(slope.id) },
      { id: idOf('k'), ...self(level.id) },
    ];
    const editorTokens = [
      { kind: 'input', text: 'level' },
      { kind: 'operator', text: '*' },
    ];
    const later = piece(`mean({${idOf('i')}}) * slope - {${idOf('k')}}`, inputs, 2_000_001, {
      id: idOf('b'),
      editorTokens,
    });
    const earlier = piece('level', [{ id: idOf('h'), ...self(level.id) }], 1_000_000);
    const variable = await calculated('Flow', instrumentId, [later, earlier], fields);
    const { runId, ...created } = variable;
    expect(created).toMatchObject({ ...fields, name: 'Flow', variableType: 'calculated', revision: 1 });
    expect(created.configurationGeneration).toBe(1);
    expect(created.calculations).toEqual([
      { ...earlier, id: expect.stringMatching(/^[A-Za-z0-9_-]{21}$/), editorTokens: [] },
      { ...later, inputs: [{ ...inputs[0], sourceInstrumentId: undefined }, ...inputs.slice(1)] },
    ]);

    const { variable: read } = await client.getVariable({ projectId, variableId: variable.id, instrumentId });
    expect(read).toEqual(created);
    const found = await client.searchVariables({ projectId, limit: 10 });
    expect(found.variables.find(({ id }) => id === variable.id)).toEqual(created);
    expect(found.variables.find(({ id }) => id === level.id)?.calculations).toEqual([]);
    const listed = await client.listVariables({ projectId, variableIds: [variable.id] });
    expect(listed.variables).toEqual([{ ...created, calculations: [] }]);

    expect(await run(runId)).toBe(`queued calculated_variable ${variable.id}`);
    expect(await rangesOf(service.databaseUrl, runId)).toEqual({ [variable.id]: ['1000000 ∞'] });
  });

  test('a variable that has no calculations yet has nothing to compute', async () => {
    const { calculated, instrumentId, run } = await newLogger();
    const variable = await calculated('Flow', instrumentId, []);
    expect(variable).toMatchObject({ alias: 'Flow', valueType: 'decimal', configurationGeneration: 0 });
    expect(await run(variable.runId)).toBe(`succeeded calculated_variable ${variable.id}`);
  });

  test('tells every fault of the shape at once', async () => {
    const { calculated, instrumentId, level } = await newLogger();
    const calculations = [
      piece('', [self(level.id), { kind: 'constant' }]),
      piece('x', [], 0, { editorTokens: [{ kind: 'word', text: 'x' }] }),
    ];
    expect(await errorOf(calculated('', instrumentId, calculations, { alias: 'mean' }))).toBe(
      'invalid_request /name /alias /calculations/0/expression /calculations/0/inputs/1/constant_id ' +
        '/calculations/1/editor_tokens/0/kind /calculations/1/start_time',
    );
  });

  test('reads what the project has and is active', async () => {
    const { client } = service;
    const logger = await newLogger();
    const other = await newLogger(logger.projectId);
    const elsewhere = await newLogger();
    const gone = await logger.seed.variable('gone', logger.instrumentId);
    await client.archiveVariable({ projectId: logger.projectId, variableId: gone.id, actor: operator });
    const hidden = await newLogger(logger.projectId);
    await client.archiveInstrument({ ...hidden, actor: operator });

    const good = [
      self(logger.level.id),
      constantInput(logger.slope.id),
      foreign(other.level.id, other.instrumentId, { pastBufferSeconds: 60 }),
    ];
    const bad = [
      self(gone.id),
      self(other.level.id),
      self(randomUUID()),
      self('x'),
      self(elsewhere.level.id),
      foreign(hidden.level.id, hidden.instrumentId),
      foreign(other.level.id, logger.instrumentId),
      foreign(logger.level.id, logger.instrumentId),
      constantInput(other.slope.id),
      constantInput(elsewhere.slope.id),
      constantInput(hidden.slope.id),
    ];
    const before = reading(good);
    expect(await errorOf(logger.calculated('bad', logger.instrumentId, [before, piece('x', bad, 1)]))).toBe(
      `invalid_request ${[0, 1, 2, 3, 4, 5]
        .map((at) => `/calculations/1/inputs/${at}/variable_id`)
        .concat('/calculations/1/inputs/6/source_instrument_id', '/calculations/1/inputs/7/variable_id')
        .concat([8, 9, 10].map((at) => `/calculations/1/inputs/${at}/constant_id`))
        .join(' ')}`,
    );
    await logger.calculated('good', logger.instrumentId, [before]);
  });

  test('tells every fault of the expressions at once, and where it is', async () => {
    const { calculated, instrumentId, level, slope } = await newLogger();
    const window = self(level.id, { pastBufferSeconds: 60 });
    const calculations = [
      piece('level * slop + abs(1, 2)', [self(level.id), constantInput(slope.id)]),
      piece('slope', [constantInput(slope.id)], 1),
      piece('level - mean(level)', [self(level.id), window], 2),
      piece('mean(level)', [self(level.id)], 3),
      piece('1 + level', [window], 4),
      // what it reads is not there, and so nothing is known of its names
      piece('nothing', [self(randomUUID())], 5),
    ];
    await expect(calculated('Flow', instrumentId, calculations)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [
        { path: '/calculations/5/inputs/0/variable_id', code: 'variable_not_found' },
        { path: '/calculations/0/expression', code: 'unknown_name', message: expect.stringMatching(/^Character 9: /) },
        { path: '/calculations/0/expression', code: 'wrong_arity', message: expect.stringMatching(/^Character 16: /) },
        { path: '/calculations/0/inputs/1', code: 'unused_input' },
        { path: '/calculations/1/inputs', code: 'no_driving_input' },
        { path: '/calculations/2/expression', code: 'ambiguous_name' },
        { path: '/calculations/2/expression', code: 'ambiguous_name' },
        { path: '/calculations/3/expression', code: 'no_window' },
        { path: '/calculations/4/expression', code: 'window_outside_function' },
        { path: '/calculations/4/inputs', code: 'no_driving_input' },
      ],
    });
  });

  test('under an instrument that is there and active', async () => {
    const { client } = service;
    const { calculated, projectId, instrumentId } = await newLogger();
    for (const id of [randomUUID(), 'x', (await newLogger()).instrumentId]) {
      expect(await errorOf(calculated('Flow', id, []))).toBe('not_found');
    }
    await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    expect(await errorOf(calculated('Flow', instrumentId, []))).toBe('lifecycle_conflict path/instrument_id');
  });

  test('names are unique among both kinds of variables, aliases among constants too', async () => {
    const { calculated, constant, instrumentId, seed } = await newLogger();
    await calculated('Flow', instrumentId, []);
    expect(await errorOf(calculated('level', instrumentId, []))).toBe('name_conflict /name');
    expect(await errorOf(seed.variable('Flow', instrumentId))).toBe('name_conflict /name');
    expect(await errorOf(calculated('A', instrumentId, [], { alias: 'slope' }))).toBe('name_conflict /alias');
    expect(await errorOf(constant('A', instrumentId, { alias: 'Flow' }))).toBe('name_conflict /alias');
    expect((await calculated('slope', instrumentId, [])).alias).toBe('slope_2');
    expect((await seed.variable('slope!', instrumentId, {})).alias).toBe('slope_');
    expect((await constant('level', instrumentId)).alias).toBe('level_2');
    // names of constants are their own
    expect((await constant('Flow', instrumentId)).alias).toBe('Flow_2');
  });
});

describe('update', () => {
  test('replaces calculations whole, and computes again what may be others', async () => {
    const { calculated, update, instrumentId, level, run } = await newLogger();
    const pieces = [piece('level', [self(level.id)], 10), piece('2 * level', [self(level.id)], 20)];
    const created = await calculated('Flow', instrumentId, pieces);
    const items = [...pieces, piece('3 * level', [self(level.id)], 30)];
    const updated = await update(created, { calculations: { items } });
    expect(updated).toMatchObject({ revision: 2, configurationGeneration: 2 });
    expect(updated.calculations.map(({ expression }) => expression)).toEqual(['level', '2 * level', '3 * level']);
    expect(updated.calculations.slice(0, 2)).toEqual(created.calculations);
    expect(await run(updated.runId)).toBe(`queued calculated_variable ${created.id}`);
    expect(await rangesOf(service.databaseUrl, updated.runId)).toEqual({ [created.id]: ['30 ∞'] });

    const two = [piece('4 * level', [self(level.id)], 10), pieces[1], piece('5 * level', [self(level.id)], 30)];
    const edited = await update(updated, { calculations: { items: two } });
    expect(await rangesOf(service.databaseUrl, edited.runId)).toEqual({ [created.id]: ['10 20', '30 ∞'] });
    const emptied = await update(edited, { calculations: { items: [] } });
    expect(emptied).toMatchObject({ calculations: [], revision: 4, configurationGeneration: 4 });
    expect(await rangesOf(service.databaseUrl, emptied.runId)).toEqual({ [created.id]: ['10 ∞'] });
  });

  test('what changes nothing keeps the revision, and what changes no value the generation', async () => {
    const { calculated, update, instrumentId, level, run } = await newLogger();
    const items = [piece('level', [self(level.id)], 10)];
    const created = await calculated('Flow', instrumentId, items, { unit: 'm' });
    const same = await update(created, { name: 'Flow', calculations: { items } }, { expectedRevision: 1 });
    expect({ ...same, runId: '' }).toEqual({ ...created, runId: '' });
    expect(same.runId).not.toBe(created.runId);
    expect(await run(same.runId)).toBe(`succeeded calculated_variable ${created.id}`);

    const renamed = await update(created, { name: 'Discharge', alias: 'q', expectedCadenceS: 5, cleared: ['unit'] });
    expect(renamed).toMatchObject({ name: 'Discharge', alias: 'q', revision: 2, configurationGeneration: 1 });
    expect(renamed.unit).toBeUndefined();
    expect(renamed.calculations).toEqual(created.calculations);
    expect(await run(renamed.runId)).toMatch(/^succeeded/);

    const tokens = [{ ...items[0], editorTokens: [{ kind: 'text', text: 'level' }] }];
    const shown = await update(created, { calculations: { items: tokens } });
    expect(shown).toMatchObject({ revision: 3, configurationGeneration: 1 });
    expect(await run(shown.runId)).toMatch(/^succeeded/);

    const typed = await update(created, { valueType: 'integer' });
    expect(typed).toMatchObject({ valueType: 'integer', revision: 4, configurationGeneration: 2 });
    expect(await rangesOf(service.databaseUrl, typed.runId)).toEqual({ [created.id]: ['10 ∞'] });
  });

  test('refuses faults, stale revisions, taken names, and what is archived', async () => {
    const { client } = service;
    const { calculated, update, projectId, instrumentId } = await newLogger();
    const created = await calculated('Flow', instrumentId, []);
    const wrong = { alias: '1', cleared: ['name'], calculations: { items: [piece('')] } };
    expect(await errorOf(update(created, wrong))).toBe('invalid_request /alias /name /calculations/0/expression');
    const reading = { calculations: { items: [piece('x', [self(randomUUID())])] } };
    expect(await errorOf(update(created, reading))).toBe('invalid_request /calculations/0/inputs/0/variable_id');
    expect(await errorOf(update(created, { name: 'x' }, { expectedRevision: 2 }))).toBe(
      'revision_conflict /expected_revision',
    );
    expect(await errorOf(update(created, { name: 'level' }))).toBe('name_conflict /name');
    expect(await errorOf(update(created, { alias: 'slope' }))).toBe('name_conflict /alias');
    await client.archiveVariable({ projectId, variableId: created.id, actor: operator });
    expect(await errorOf(update(created, { name: 'x' }))).toBe('lifecycle_conflict path/variable_id');
  });

  test('finds no variable of another kind, instrument or project', async () => {
    const { calculated, update, instrumentId, level, projectId } = await newLogger();
    const other = await newLogger(projectId);
    const created = await calculated('Flow', instrumentId, []);
    expect(await errorOf(update(level, { name: 'x' }))).toBe('not_found');
    expect(await errorOf(update({ ...created, instrumentId: other.instrumentId }, { name: 'x' }))).toBe('not_found');
    expect(await errorOf((await newLogger()).update(created, { name: 'x' }))).toBe('not_found');
    const change = { projectId, instrumentId, variableId: created.id, actor: operator, patch: { name: 'x' } };
    expect(await errorOf(service.client.updateIngestedVariable(change))).toBe('not_found');
  });
});

describe('a variable never reads itself', () => {
  test('at once', async () => {
    const { calculated, update, instrumentId } = await newLogger();
    const a = await calculated('A', instrumentId, []);
    const items = [piece('A', [self(a.id)])];
    await expect(update(a, { calculations: { items } })).rejects.toMatchObject({
      code: 'dependency_conflict',
      details: [
        {
          path: '/calculations/0/inputs/0/variable_id',
          code: 'cycle',
          message: 'A would read itself: it reads A.',
        },
      ],
    });
  });

  test('nor through others, of whatever instruments', async () => {
    const here = await newLogger();
    const there = await newLogger(here.projectId);
    const a = await here.calculated('A', here.instrumentId, [piece('level', [self(here.level.id)])]);
    const b = await there.calculated('B', there.instrumentId, [
      piece('A + level', [foreign(a.id, here.instrumentId), self(there.level.id)]),
    ]);
    const c = await here.calculated('C', here.instrumentId, [
      piece('B + level', [foreign(b.id, there.instrumentId), self(here.level.id)]),
    ]);
    const items = [piece('level', [self(here.level.id)]), piece('C + level', [self(here.level.id), self(c.id)], 5)];
    await expect(here.update(a, { name: 'A2', calculations: { items } })).rejects.toMatchObject({
      code: 'dependency_conflict',
      details: [
        {
          path: '/calculations/1/inputs/1/variable_id',
          message: 'A2 would read itself: it reads C, which reads B, which reads A2.',
        },
      ],
    });
    // two ways to one variable are no cycle
    await here.calculated('D', here.instrumentId, [piece('A + C', [self(a.id), self(c.id)])]);
    await here.update(c, { calculations: { items: [piece('level', [self(here.level.id)])] } });
    await here.update(a, { calculations: { items } });
  });
});
