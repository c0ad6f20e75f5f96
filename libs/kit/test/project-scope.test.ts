import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { declaredStatements, openPool, sql, statement } from '../src/sql/index.js';
import { createEmptyDatabase, findUnscoped, type TestDatabase } from '../src/testing/index.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
  await using pool = openPool({ url: database.url, max: 1 });
  for (const text of [
    'create schema lab',
    'create table lab.samples (project_id uuid, id uuid primary key, name text)',
    'create index on lab.samples (project_id, id)',
    'create table lab.parts (project_id uuid, id uuid primary key, sample_id uuid)',
    'create table lab.units (id uuid primary key)',
  ])
    await pool.query({ text, values: [] });
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => {
  declaredStatements.length = 0;
});

type Build = () => ReturnType<typeof sql>;
const find = (builders: Readonly<Record<string, Build>>) => {
  const stores = Object.fromEntries(
    Object.entries(builders).map(([name, build]) => [name, statement(z.object({}), build)]),
  );
  return findUnscoped(database.url, 'pg_read_all_data', [stores]);
};

test('S7: a statement that names the project passes, by each of the ways there are', async () => {
  const found = await find({
    plain: () => sql`select name from lab.samples where project_id = ${1}::uuid and id = ${1}::uuid`,
    page: () => sql`
      select id from lab.samples
      where (project_id, id) > (${1}::uuid, ${1}::uuid) and (project_id, id) <= (${1}::uuid, ${1}::uuid)`,
    ofMany: () => sql`
      select name from unnest(${1}::uuid[], ${1}::uuid[]) as asked (id, project_id)
      join lab.samples on samples.id = asked.id and samples.project_id = asked.project_id`,
    byItsKey: () => sql`
      select parts.id from lab.samples join lab.parts on parts.sample_id = samples.id where samples.project_id = ${1}::uuid`,
    subSelect: () => sql`
      select (select count(*) from lab.parts where parts.sample_id = samples.id) as count
      from lab.samples where project_id = ${1}::uuid`,
    ofNone: () => sql`select id from lab.units where id = ${1}::uuid`,
  });
  expect(found).toEqual({ 'where given': [], never: [] });
});

test('S7: a statement that does not is told by its name, one that does so at times apart', async () => {
  const found = await find({
    byId: () => sql`select name from lab.samples where id = ${1}::uuid`,
    ofMany: () => sql`
      select name from unnest(${1}::uuid[]) as asked (id) join lab.samples on samples.id = asked.id`,
    joined: () => sql`
      select parts.id from lab.samples join lab.parts on parts.project_id = samples.project_id where samples.id = ${1}::uuid`,
    apart: () => sql`
      select id from lab.samples where project_id = ${1}::uuid union all select id from lab.parts where id = ${1}::uuid`,
    either: () => sql`select id from lab.samples where project_id = ${1}::uuid or id = ${1}::uuid`,
    optional: () => sql`
      select id from lab.samples where id = ${1}::uuid and (${'1'} = '' or project_id = nullif(${'1'}, '')::uuid)`,
  });
  expect(found).toEqual({ 'where given': ['either', 'optional'], never: ['apart', 'byId', 'joined', 'ofMany'] });
});
