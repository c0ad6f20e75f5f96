import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editor, families, readAll, type TestFamily, type TestRecord } from './test-families.js';
import { startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

const names = (records: readonly TestRecord[]) => records.map(({ name }) => name);

describe.each(Object.entries(families))('%s', (_, makeFamily) => {
  const family = (): Promise<TestFamily> => makeFamily(service.client, newProject());

  async function seeded(...seeds: string[]): Promise<{ family: TestFamily; ids: string[] }> {
    const made = await family();
    const ids: string[] = [];
    for (const name of seeds) ids.push((await made.create(name)).id);
    return { family: made, ids };
  }

  test('are listed in the order of creation, whole, and of their project alone', async () => {
    const { family: mine, ids } = await seeded('b', 'a', 'c');
    await seeded('d');
    const { records, nextAfter } = await mine.list();
    expect(nextAfter).toBe('');
    expect(records).toEqual(await Promise.all(ids.map((id) => mine.get(id))));
  });

  test('are paged', async () => {
    const { family: mine, ids } = await seeded('a', 'b', 'c', 'd');
    const first = await mine.list({ limit: 3 });
    expect(names(first.records)).toEqual(['a', 'b', 'c']);
    expect(first.nextAfter).toBe(ids[2]);
    expect(await mine.list({ limit: 3, after: first.nextAfter })).toMatchObject({
      records: [{ name: 'd' }],
      nextAfter: '',
    });
    expect((await mine.list({ limit: 4 })).nextAfter).toBe('');
    expect(names(await readAll((after) => mine.list({ limit: 1, after })))).toEqual(['a', 'b', 'c', 'd']);
    expect(await errorOf(mine.list({ limit: 0 }))).toBe('invalid_request /limit');
    expect(await errorOf(mine.list({ after: 'x' }))).toBe('invalid_request /after');
  });

  test('are found by a part of the name, whatever its case, in which nothing is a wildcard', async () => {
    const all = ['Water level', '50% duty', 'Übertemperatur_ΑΣ', 'x\\y', 'duty 50'];
    const { family: mine } = await seeded(...all);
    const found = async (q: string) => names((await mine.list({ q })).records);
    expect(await found('')).toEqual(all);
    expect(await found('LEVEL')).toEqual(['Water level']);
    expect(await found('r l')).toEqual(['Water level']);
    expect(await found('%')).toEqual(['50% duty']);
    expect(await found('_')).toEqual(['Übertemperatur_ΑΣ']);
    expect(await found('\\')).toEqual(['x\\y']);
    expect(await found('duty')).toEqual(['50% duty', 'duty 50']);
    expect(await found('überTEMPERATUR_α')).toEqual(['Übertemperatur_ΑΣ']);
    expect(await found('U\u0308BER')).toEqual(['Übertemperatur_ΑΣ']);
    expect(await found('nothing')).toEqual([]);
    expect(names((await mine.list({ q: 'duty', limit: 1 })).records)).toEqual(['50% duty']);
  });

  test('are found by a part of the name with letters whose lower case depends on those beside them, or is another one', async () => {
    const { family: mine } = await seeded('ΟΔΟΣΑ', 'οδος', 'STRAẞE');
    const found = async (q: string) => names((await mine.list({ q })).records);
    for (const q of ['ΟΔΟΣ', 'οδος', 'οδοσ']) expect(await found(q)).toEqual(['ΟΔΟΣΑ', 'οδος']);
    for (const q of ['STRAẞE', 'straße', 'strasse']) expect(await found(q)).toEqual(['STRAẞE']);
  });

  test('that are archived are listed only when asked for', async () => {
    const { family: mine, ids } = await seeded('a', 'b', 'c');
    await mine.archive(ids[1] as string);
    expect(names((await mine.list()).records)).toEqual(['a', 'c']);
    const { records } = await mine.list({ includeArchived: true });
    expect(records.map(({ lifecycle }) => lifecycle?.state)).toEqual(['active', 'archived', 'active']);
    expect(names((await mine.list({ q: 'B', includeArchived: true })).records)).toEqual(['b']);
  });

  test('that were there before are each paged once while others are created and renamed', async () => {
    const mine = await family();
    const made: TestRecord[] = [];
    // so many at once at most: more changes of one project do not wait for their turn
    for (let first = 0; first < 200; first += 50)
      made.push(...(await Promise.all(Array.from({ length: 50 }, (__, n) => mine.create(`record ${first + n}`)))));
    const ids = made.map(({ id }) => id).sort();
    let round = 0;
    const found = await readAll(
      (after) => mine.list({ limit: 9, after }),
      async () => {
        // the list would never end if it grew for ever
        if (++round > 20) return;
        const numbers = Array.from({ length: 10 }, (__, n) => (round - 1) * 10 + n);
        await Promise.all(
          numbers.flatMap((n) => [
            mine.create(`new ${n}`),
            mine.update(ids[(n * 83) % ids.length] as string, { name: `${n % 2 === 0 ? 'A' : 'z'} renamed ${n}` }),
          ]),
        );
      },
    );
    expect(round).toBeGreaterThan(20);
    const old = new Set(ids);
    expect(found.map(({ id }) => id).filter((id) => old.has(id))).toEqual(ids);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  }, 60_000);

  test('are updated, and the revision rises with each change', async () => {
    const { family: mine, ids } = await seeded('a');
    const id = ids[0] as string;
    const before = await mine.get(id);
    const updated = await mine.update(id, { name: ' Cafe\u0301 ' });
    expect(updated).toEqual({ ...before, name: 'Café', revision: 2, updatedAtUs: expect.any(Number) });
    expect(updated.updatedAtUs).toBeGreaterThan(before?.updatedAtUs ?? 0);
    expect(await mine.get(id)).toEqual(updated);
  });

  test('that a patch does not change keep the revision and its time', async () => {
    const { family: mine, ids } = await seeded('a');
    const id = ids[0] as string;
    const before = await mine.get(id);
    for (const patch of [{ name: 'a' }, { name: ' a ' }, {}]) expect(await mine.update(id, patch)).toEqual(before);
    expect(await mine.update(id, { name: 'a' }, 1)).toEqual(before);
  });

  test('are refused for a name that is none, and for a name that is taken', async () => {
    const { family: mine, ids } = await seeded('a', 'b', 'c');
    const [a, , c] = ids as [string, string, string];
    expect(await errorOf(mine.update(a, { name: ' ' }))).toBe('invalid_request /name');
    expect(await errorOf(mine.update(a, { name: 'b' }))).toBe('name_conflict /name');
    expect(await mine.update(a, { name: 'B' })).toMatchObject({ name: 'B', revision: 2 });
    await mine.archive(c);
    expect(await mine.update(a, { name: 'c' })).toMatchObject({ name: 'c', revision: 3 });
    expect(await errorOf(mine.restore(c))).toBe('name_conflict /name');
  });

  test('with a stale expected revision are refused, and told the current one, when and by whom', async () => {
    const { family: mine, ids } = await seeded('a');
    const id = ids[0] as string;
    const { updatedAtUs } = await mine.update(id, { name: 'b' }, 1);
    const said = `The current revision is 2, saved at ${new Date(updatedAtUs / 1000).toISOString().slice(0, 20)}`;
    for (const patch of [{ name: 'c' }, { name: 'b' }]) {
      await expect(mine.update(id, patch, 1)).rejects.toMatchObject({
        code: 'revision_conflict',
        details: [{ path: '/expected_revision', code: 'revision_conflict', message: expect.stringContaining(said) }],
      });
    }
    await expect(mine.update(id, { name: 'c' }, 1)).rejects.toThrow(`by ${editor.type} ${editor.id};`);
    expect(await mine.update(id, { name: 'c' }, 2)).toMatchObject({ name: 'c', revision: 3 });
  });

  test('of many patches with the same expected revision exactly one wins', async () => {
    const { family: mine, ids } = await seeded('a');
    const id = ids[0] as string;
    const errors = await Promise.all(
      Array.from({ length: 50 }, (__, n) => errorOf(mine.update(id, { name: `name ${n}` }, 1))),
    );
    expect(errors.toSorted()).toEqual([
      'no error',
      ...Array.from({ length: 49 }, () => 'revision_conflict /expected_revision'),
    ]);
    expect(await mine.get(id)).toMatchObject({ revision: 2, name: `name ${errors.indexOf('no error')}` });
  });

  test('that are archived are not updated until they are restored', async () => {
    const { family: mine, ids } = await seeded('a');
    const id = ids[0] as string;
    const archived = await mine.archive(id);
    expect(archived).toMatchObject({ revision: 2, lifecycle: { state: 'archived', archivedBy: operator } });
    expect(await errorOf(mine.get(id))).toBe('not_found');
    expect(await mine.get(id, true)).toEqual(archived);
    expect(await errorOf(mine.update(id, { name: 'b' }))).toMatch(/^lifecycle_conflict path\/\w+_id$/);
    // what is archived is told before what is stale
    expect(await errorOf(mine.update(id, { name: 'a' }, 1))).toMatch(/^lifecycle_conflict /);
    expect(await mine.restore(id)).toMatchObject({ revision: 3, lifecycle: { state: 'active' } });
    expect(await mine.update(id, { name: 'b' }, 3)).toMatchObject({ name: 'b', revision: 4 });
  });

  test('that are not there, or are of another project, are not found', async () => {
    const { ids } = await seeded('a');
    const mine = await family();
    for (const id of [...ids, randomUUID(), 'x', '']) {
      expect(await errorOf(mine.get(id, true))).toBe('not_found');
      expect(await errorOf(mine.update(id, { name: 'b' }))).toBe('not_found');
      expect(await errorOf(mine.archive(id))).toBe('not_found');
      expect(await errorOf(mine.restore(id))).toBe('not_found');
    }
  });
});

test.each(['sites', 'instruments', 'variables'])('members of %s that have no null are not cleared', async (name) => {
  const family = await families[name]?.(service.client, newProject());
  const { id } = (await family?.create('a')) ?? { id: '' };
  const cleared = ['name', 'nonsense'];
  expect(await errorOf(family?.update(id, { cleared }) ?? Promise.resolve())).toBe('invalid_request /name /nonsense');
});
