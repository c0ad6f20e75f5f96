import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openPool, type Pool, sql, sqlInstant, statement } from '../src/sql/index.js';
import { createEmptyDatabase, type TestDatabase } from '../src/testing/index.js';
import { observationInstantEndUs, observationInstantMinUs } from '../src/time/index.js';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = openPool({ url: database.url, max: 1 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const selectInstants = statement(
  z.object({ at: z.number(), us: z.number() }),
  (instants: readonly number[]) => sql`
    select at, (extract(epoch from at) * 1000000)::bigint as us
    from unnest(${instants.map(sqlInstant)}::timestamptz[]) with ordinality as given (at, position)
    order by position`,
);

describe('an instant', () => {
  test.each([
    ['the first of observations', observationInstantMinUs],
    ['the last of observations', observationInstantEndUs - 1],
    ['the microsecond before 1970', -1],
    ['1970', 0],
    ['a millisecond', 1000],
    ['a leap day', Date.UTC(2000, 1, 29, 23, 59, 59) * 1000 + 999_999],
    ['before the Gregorian calendar was everywhere', Date.UTC(1752, 8, 3) * 1000 + 1],
  ])('comes back exact: %s', async (_, us) => {
    expect(await selectInstants.all(pool, [us])).toEqual([{ at: us, us }]);
  });

  test('comes back exact, any of five and a half centuries', async () => {
    const instants = fc.array(fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs - 1 }), {
      minLength: 200,
      maxLength: 400,
    });
    await fc.assert(
      fc.asyncProperty(instants, async (given) => {
        expect(await selectInstants.all(pool, given)).toEqual(given.map((us) => ({ at: us, us })));
      }),
      { numRuns: 20 },
    );
  });

  test('that is none is null', async () => {
    expect(sqlInstant(undefined)).toBeNull();
    const { rows } = await pool.query(sql`select ${sqlInstant(null)}::timestamptz as at`);
    expect(rows).toEqual([{ at: null }]);
  });

  test.each(['infinity', '0044-03-15 00:00:00+00 BC', '10000-01-01 00:00:00+00'])(
    'that is out of range is an error: %s',
    async (text) => {
      await expect(pool.query(sql`select ${text}::timestamptz as at`)).rejects.toThrow('out of range');
    },
  );
});

describe('an integer', () => {
  test.each([0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('comes back exact: %i', async (value) => {
    expect((await pool.query(sql`select ${value}::bigint as value`)).rows).toEqual([{ value }]);
  });

  test.each(['9007199254740992', '-9223372036854775808'])(
    'that a double cannot hold is an error: %s, and the connection stays good',
    async (text) => {
      await expect(pool.query(sql`select ${text}::bigint as value`)).rejects.toThrow('not exact in a double');
      expect((await pool.query(sql`select 1 as value`)).rows).toEqual([{ value: 1 }]);
    },
  );
});

describe('a double', () => {
  test('comes back exact, and zero without a sign', async () => {
    const double = fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
    await fc.assert(
      fc.asyncProperty(fc.array(double, { minLength: 50 }), async (given) => {
        const { rows } = await pool.query(sql`select ${given}::double precision[] as values`);
        expect(rows).toEqual([{ values: given }]);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a statement', () => {
  const select = statement(
    z.strictObject({ longName: z.string(), nothing: z.string().optional() }),
    ({ names }: { names: readonly string[] }) => sql`
      select name as long_name, null::text as nothing from unnest(${names}::text[]) as given (name)`,
  );

  test('decodes rows by its shape, without what is null', async () => {
    expect(await select.all(pool, { names: ['a', `b"'\\,{}\n`] })).toEqual([
      { longName: 'a' },
      { longName: `b"'\\,{}\n` },
    ]);
    expect(await select.maybe(pool, { names: [] })).toBeUndefined();
    expect(await select.one(pool, { names: ['a'] })).toEqual({ longName: 'a' });
  });

  test('says when there are more or fewer rows than it promised', async () => {
    await expect(select.one(pool, { names: [] })).rejects.toThrow('expected a row');
    await expect(select.maybe(pool, { names: ['a', 'b'] })).rejects.toThrow('expected at most one row, got 2');
  });

  test('refuses rows of another shape', async () => {
    const wrong = statement(z.object({ name: z.number() }), () => sql`select 'x' as name`);
    await expect(wrong.all(pool, undefined)).rejects.toThrow(z.ZodError);
  });

  test('is prepared once on a connection', async () => {
    for (const name of ['a', 'b']) await select.all(pool, { names: [name] });
    const { rows } = await pool.query(sql`
      select generic_plans + custom_plans as plans from pg_prepared_statements where statement like '%long_name%'`);
    expect(rows).toHaveLength(1);
  });

  test('counts what it wrote', async () => {
    await pool.query(sql`create temporary table written (id integer)`);
    const insert = statement(
      z.never(),
      (ids: readonly number[]) => sql`insert into written (id) select unnest(${ids}::integer[])`,
    );
    expect(await insert.run(pool, [1, 2, 3])).toBe(3);
  });
});
