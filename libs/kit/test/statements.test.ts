import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { declaredStatements, sql, sqlInstant, statement } from '../src/sql/index.js';
import { createEmptyDatabase, prepareStatements, type TestDatabase } from '../src/testing/index.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => {
  declaredStatements.length = 0;
});

const declare = (build: (args: never) => ReturnType<typeof sql>) =>
  statement(z.object({}), build as (args: unknown) => ReturnType<typeof sql>);

describe('prepareStatements', () => {
  test('takes builders that read, map and convert their arguments', async () => {
    declare((ids: readonly { id: string }[]) => sql`select 1 where 'a' = any(${ids.map((row) => row.id)}::text[])`);
    declare(({ atUs, note }: { atUs: number; note: object }) => {
      return sql`select ${sqlInstant(atUs)}::timestamptz as at, ${JSON.stringify(note)}::jsonb as note`;
    });
    declare(({ rows: [first] }: { rows: [{ size: number }] }) => sql`select ${first.size * 2 + 1}::integer as size`);
    declare(() => sql`select datname from pg_database limit 1`);
    expect(await prepareStatements(database.url)).toBe(4);
  });

  test('tells of every statement that does not fit', async () => {
    declare(() => sql`select nothing`);
    declare(() => sql`select 1 as one`);
    declare(() => sql`selekt`);
    const faults = await prepareStatements(database.url).catch((error: Error) => error.message);
    expect(faults).toMatch(/^2 statement\(s\) do not fit/);
    expect(faults).toContain('column "nothing" does not exist, in: select nothing');
    expect(faults).toContain('in: selekt');
  });

  test('tells of a right that the role lacks', async () => {
    declare(() => sql`select rolname from pg_authid`);
    expect(await prepareStatements(database.url)).toBe(1);
    await expect(prepareStatements(database.url, 'pg_monitor')).rejects.toThrow(
      'permission denied for table pg_authid',
    );
  });
});
