import { newId } from '@weir/kit/ids';
import type { Variable } from '@weir/proto/variables';
import { expect, test } from 'vitest';
import { type ObservedVariable, ObservedVariables, type VariablesClient } from './observed-variables.js';

const projectId = newId();
const variableOf = (variableKey: number, unit?: string) => ({ id: newId(), variableKey, unit }) as Variable;

/** A catalog of one project that counts what it is asked. */
function openCatalog(...variables: Variable[]) {
  const catalog = { generation: 7, variables, asked: [] as number[] };
  const listVariables = async ({ variableIds = [], knownGeneration = 0 }): Promise<object> => {
    catalog.asked.push(knownGeneration);
    const { generation } = catalog;
    if (knownGeneration !== 0 && knownGeneration === generation) return { variables: [], generation };
    const found = variableIds.flatMap((id) => catalog.variables.filter((variable) => variable.id === id));
    return { variables: found, generation };
  };
  const observed = new ObservedVariables({ listVariables } as unknown as VariablesClient);
  const reads: (readonly (string | undefined)[])[] = [];
  const read = async (...ids: string[]) =>
    await observed.read({ projectId, ids, includeArchived: false }, {}, async (found: readonly ObservedVariable[]) => {
      reads.push(found.map(({ unit }) => unit));
      return found.map(({ variableKey }) => variableKey);
    });
  return { catalog, observed, reads, read };
}

test('variables that are known are read at once, and asked for no more than whether they are as they were', async () => {
  const [a, b] = [variableOf(1), variableOf(2)];
  const { catalog, reads, read } = openCatalog(a, b);
  expect(await read(b.id, a.id, b.id.toUpperCase())).toEqual([2, 1]);
  expect(await read(a.id)).toEqual([1]);
  expect(await read(a.id, b.id)).toEqual([1, 2]);
  expect(catalog.asked).toEqual([0, 7, 7]);
  expect(reads).toHaveLength(3);
});

test('what was made of variables that have changed is made again', async () => {
  const a = variableOf(1, 'm');
  const { catalog, reads, read } = openCatalog(a);
  await read(a.id);
  Object.assign(catalog, { generation: 8, variables: [{ ...a, unit: 'ft' }] });
  await read(a.id);
  await read(a.id);
  expect(reads).toEqual([['m'], ['m'], ['ft'], ['ft']]);
  expect(catalog.asked).toEqual([0, 7, 8]);
});

test('a variable that is gone is not found, though it was known', async () => {
  const [a, b] = [variableOf(1), variableOf(2)];
  const { catalog, read } = openCatalog(a, b);
  await read(a.id, b.id);
  Object.assign(catalog, { generation: 8, variables: [a] });
  const details = [expect.objectContaining({ path: 'query/variable_id', code: 'not_found' })];
  await expect(read(a.id, b.id)).rejects.toMatchObject({ code: 'not_found', details });
  await expect(read('no UUID')).rejects.toMatchObject({ code: 'not_found' });
});

test('variables known as of several generations are asked for', async () => {
  const [a, b] = [variableOf(1), variableOf(2)];
  const { catalog, read } = openCatalog(a, b);
  await read(a.id);
  catalog.generation = 8;
  await read(b.id);
  expect(await read(a.id, b.id)).toEqual([1, 2]);
  expect(catalog.asked).toEqual([0, 0, 0]);
});

test('nothing is remembered of a service that tells no generation', async () => {
  const a = variableOf(1);
  const { catalog, observed, read } = openCatalog(a);
  catalog.generation = 0;
  await read(a.id);
  await read(a.id);
  expect(await observed.list({ projectId, ids: [a.id], includeArchived: false }, {})).toMatchObject([{ id: a.id }]);
  expect(catalog.asked).toEqual([0, 0, 0]);
});
