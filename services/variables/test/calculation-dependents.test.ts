import { WeirError } from '@weir/kit/errors';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calculationsOf, constantInput, foreign, piece, rangesOf, reading, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Two instruments, each with a variable `level`; here also a constant `slope`. */
async function newPair() {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const here = (await seed.instrument('here')).id;
  const there = (await seed.instrument('there')).id;
  const calculations = calculationsOf(client, projectId);
  const change = (fields: object) => ({ projectId, actor: operator, ...fields }) as never;
  return {
    ...calculations,
    here,
    there,
    level: await seed.variable('level', here),
    far: await seed.variable('level', there),
    slope: await calculations.constant('slope', here),
    projectId,
    seed,
    archive: (variable: { id: string }) => client.archiveVariable(change({ variableId: variable.id })),
    restore: (variable: { id: string }) => client.restoreVariable(change({ variableId: variable.id })),
    archiveConstant: (constant: { id: string }) =>
      client.archiveConstant(change({ instrumentId: here, constantId: constant.id })),
    restoreConstant: (constant: { id: string }) =>
      client.restoreConstant(change({ instrumentId: here, constantId: constant.id })),
    archiveInstrument: (instrumentId: string) => client.archiveInstrument(change({ instrumentId })),
    restoreInstrument: (instrumentId: string) => client.restoreInstrument(change({ instrumentId })),
    rename: (variable: { id: string; instrumentId: string }, alias: string) =>
      client.updateIngestedVariable(
        change({ instrumentId: variable.instrumentId, variableId: variable.id, patch: { alias } }),
      ),
  };
}

async function detailsOf(call: Promise<unknown>): Promise<string[]> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof WeirError)) throw new Error('no error');
  return [error.code, ...error.details.map(({ path, code, message }) => `${path} ${code} ${message}`)];
}

describe('archive', () => {
  test('what an active calculation reads is kept, and told who reads it', async () => {
    const { calculated, archive, archiveConstant, archiveInstrument, here, there, level, far, slope } = await newPair();
    const inputs = [foreign(far.id, there), constantInput(slope.id), self(level.id)];
    const flow = await calculated('flow', here, [reading(inputs), reading(inputs, 5)]);
    const reads = `active_calculation flow (${flow.id}) of the instrument here reads it.`;
    expect(await detailsOf(archive(far))).toEqual(['dependency_conflict', `path/variable_id ${reads}`]);
    expect(await detailsOf(archiveConstant(slope))).toEqual(['dependency_conflict', `path/constant_id ${reads}`]);
    expect(await detailsOf(archiveInstrument(there))).toEqual(['dependency_conflict', `path/instrument_id ${reads}`]);
    await archive(flow);
    await archive(far);
    await archiveConstant(slope);
    await archiveInstrument(there);
  });

  test('calculated variables are kept by those that read them', async () => {
    const { calculated, archive, here, level } = await newPair();
    const flow = await calculated('flow', here, [piece('level', [self(level.id)])]);
    const sum = await calculated('sum', here, [piece('flow', [self(flow.id)])]);
    expect(await errorOf(archive(flow))).toBe('dependency_conflict path/variable_id');
    await archive(sum);
    await archive(flow);
  });

  test('an instrument is not kept by its own calculations, nor by hidden ones of others', async () => {
    const { calculated, archiveInstrument, archive, here, there, level, far } = await newPair();
    await calculated('flow', here, [piece('level', [self(level.id)])]);
    await calculated('sum', here, [reading([foreign(far.id, there), self(level.id)])]);
    expect(await errorOf(archiveInstrument(there))).toBe('dependency_conflict path/instrument_id');
    await archiveInstrument(here);
    await archiveInstrument(there);
    // what comes back with its instrument must find what it reads there
    expect(await errorOf(archive(level))).toBe('dependency_conflict path/variable_id path/variable_id');
    await archive(far);
  });

  test('as many dependents are told as an answer holds, however they are called', async () => {
    const { calculated, archive, here, level, seed } = await newPair();
    const name = (n: number) => `${'水'.repeat(250)}${n}`;
    await Promise.all(
      Array.from({ length: 55 }, (_, n) => calculated(name(n), here, [piece('level', [self(level.id)])])),
    );
    const details = await detailsOf(archive(level));
    expect(details).toHaveLength(51);
    expect(new Set(details).size).toBe(51);
    await seed.site('the connection is as good as before');
  });
});

describe('restore', () => {
  test('a calculated variable comes back when what it reads is there, and is computed anew', async () => {
    const { calculated, archive, restore, archiveConstant, restoreConstant, run, here, there, level, far, slope } =
      await newPair();
    const inputs = [foreign(far.id, there), constantInput(slope.id), self(level.id)];
    const flow = await calculated('flow', here, [reading(inputs, 7), reading(inputs, 9)]);
    await archive(flow);
    await archive(far);
    await archiveConstant(slope);
    expect(await detailsOf(restore(flow))).toEqual([
      'dependency_conflict',
      `path/variable_id variable_archived flow reads the variable level (${far.id}), which is archived.`,
      `path/variable_id constant_archived flow reads the constant slope (${slope.id}), which is archived.`,
    ]);
    expect((await restore(far)).recalculationBatchRunId).toBe('');
    expect(await run((await restoreConstant(slope)).recalculationBatchRunId)).toMatch(/^succeeded/);

    const { variable, recalculationBatchRunId } = await restore(flow);
    expect(variable).toMatchObject({ configurationGeneration: 2, revision: 3, lifecycle: { state: 'active' } });
    expect(variable?.calculations).toEqual(flow.calculations);
    expect(await run(recalculationBatchRunId)).toBe(`queued calculated_variable ${flow.id}`);
    expect(await rangesOf(service.databaseUrl, recalculationBatchRunId)).toEqual({ [flow.id]: ['7 ∞'] });
    const again = await restore(flow);
    expect(again.variable).toEqual(variable);
    expect(await run(again.recalculationBatchRunId)).toMatch(/^succeeded/);
  });

  test('an instrument brings its calculated variables back, when what they read is there', async () => {
    const { client } = service;
    const { calculated, archive, archiveInstrument, restoreInstrument, restore, here, there, level, far, projectId } =
      await newPair();
    const own = await calculated('own', here, [piece('level', [self(level.id)], 5)]);
    const wide = await calculated('wide', here, [reading([foreign(far.id, there), self(level.id)], 6)]);
    const gone = await calculated('gone', here, [piece('level', [self(level.id)], 7)]);
    const empty = await calculated('empty', here, []);
    await archive(gone);
    await archiveInstrument(here);
    await archive(far);
    expect(await detailsOf(restoreInstrument(here))).toEqual([
      'dependency_conflict',
      `path/instrument_id variable_archived wide reads the variable level (${far.id}), which is archived.`,
    ]);
    await restore(far);
    await archiveInstrument(there);
    expect(await errorOf(restoreInstrument(here))).toBe('dependency_conflict path/instrument_id');
    await restoreInstrument(there);
    await restoreInstrument(here);
    const { recalculations } = await client.listRecalculations({ projectId, limit: 1 });
    expect(recalculations[0]).toMatchObject({ state: 'queued', causeKind: 'instrument', causeId: here });
    expect(await rangesOf(service.databaseUrl, recalculations[0]?.runId ?? '')).toEqual({
      [own.id]: ['5 ∞'],
      [wide.id]: ['6 ∞'],
    });
    expect((await client.getVariable({ projectId, variableId: empty.id })).variable?.configurationGeneration).toBe(0);
  });
});

describe('an alias', () => {
  test('that expressions use is not renamed', async () => {
    const pair = await newPair();
    const { calculated, update, updateConstant, archive, restore, rename, here, there, far, level, slope } = pair;
    const { archiveInstrument, restoreInstrument } = pair;
    await rename(far, 'far');
    const inputs = [self(level.id), foreign(far.id, there, { id: 'f'.repeat(21) }), constantInput(slope.id)];
    const expression = `{${'f'.repeat(21)}} - level * slope`;
    const flow = await calculated('flow', here, [piece(expression, inputs)]);
    const uses = `/alias active_calculation flow (${flow.id}) of the instrument here uses it.`;
    expect(await detailsOf(rename(level, 'stage'))).toEqual(['dependency_conflict', uses]);
    expect(await detailsOf(updateConstant(slope, { alias: 'k' }))).toEqual(['dependency_conflict', uses]);
    await rename(level, 'level');

    const sum = await calculated('sum', here, [piece('flow', [self(flow.id)])]);
    expect(await errorOf(update(flow, { alias: 'q' }))).toBe('dependency_conflict /alias');
    await archive(sum);
    await update(flow, { alias: 'q' });
    await archive(flow);
    await rename(level, 'stage');
    expect(await detailsOf(restore(flow))).toEqual([
      'dependency_conflict',
      `path/variable_id alias_changed The calculation of ${flow.id} from 1970-01-01T00:00:00.000Z on: ` +
        'Character 27: No input is called level; add one whose alias it is, or correct the name.',
    ]);
    await rename(level, 'level');
    await restore(flow);
    await archiveInstrument(here);
    await rename(far, 'farther');
    await restoreInstrument(here);
  });

  test('that only ids stand for is renamed, but not into one that means something else', async () => {
    const { calculated, rename, here, there, far, level } = await newPair();
    const id = 'f'.repeat(21);
    await rename(far, 'far');
    await calculated('flow', here, [piece(`{${id}} - level`, [self(level.id), foreign(far.id, there, { id })])]);
    await rename(far, 'farther');
    expect(await errorOf(rename(far, 'level'))).toBe('dependency_conflict /alias');
  });
});
