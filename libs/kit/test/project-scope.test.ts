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
    'create table lab.readings (sample_id uuid, at int, value int, primary key (sample_id, at)) partition by range (at)',
    'create table lab.early_readings partition of lab.readings for values from (minvalue) to (0)',
    'create table lab.late_readings partition of lab.readings for values from (0) to (maxvalue)',
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
  return findUnscoped(database.url, new URL(database.url).username, [stores], ['lab.units']);
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

test('S7: rows of a table without a project are found by the key of one that is found in it', async () => {
  const found = await find({
    joined: () => sql`
      select readings.value from lab.samples join lab.readings on readings.sample_id = samples.id
      where samples.project_id = ${1}::uuid`,
    lateral: () => sql`
      select latest.value
      from unnest(${1}::uuid[]) as asked (id)
      join lab.samples on samples.id = asked.id and samples.project_id = ${1}::uuid
      cross join lateral (
        select value from lab.readings where sample_id = samples.id and at < ${1} order by at desc limit 1
      ) as latest`,
    subSelect: () => sql`
      select value from lab.readings
      where sample_id = (select id from lab.samples where id = ${1}::uuid and project_id = ${1}::uuid) and at > ${1}::int`,
    bySameKey: () => sql`
      select value from lab.samples join lab.readings on readings.sample_id = samples.id
      where samples.id = ${1}::uuid and samples.project_id = ${1}::uuid`,
    byGivenKey: () => sql`
      select value
      from unnest(${1}::uuid[]) as asked (id)
      join lab.samples on samples.id = asked.id and samples.project_id = ${1}::uuid
      join lab.readings on readings.sample_id = asked.id`,
    whereThereIsOne: () => sql`
      select value
      from lab.samples left join lab.readings on readings.sample_id = samples.id
      where samples.project_id = ${1}::uuid`,
    written: () => sql`
      insert into lab.readings (sample_id, at, value)
      select id, ${1}::int, ${1}::int from lab.samples where id = ${1}::uuid and project_id = ${1}::uuid`,
    writtenWith: () => sql`
      with sample as (
        insert into lab.samples (project_id, id) values (${1}::uuid, ${1}::uuid) returning id
      )
      insert into lab.readings (sample_id, at) select id, 1 from sample`,
    deleted: () => sql`
      delete from lab.readings using lab.samples
      where readings.sample_id = samples.id and samples.project_id = ${1}::uuid`,
  });
  expect(found).toEqual({ 'where given': [], never: [] });
});

test('S7: rows of such a table that are found by themselves are told, wherever else the statement names the project', async () => {
  const planted = {
    byKey: () => sql`select value from lab.readings where sample_id = ${1}::uuid and at > ${1}::int`,
    byKeys: () => sql`
      select latest.value
      from unnest(${1}::uuid[]) as asked (id)
      cross join lateral (select value from lab.readings where sample_id = asked.id order by at desc limit 1) as latest`,
    ofAll: () => sql`select count(*) as count from lab.readings`,
    byAnotherKey: () => sql`
      select value from lab.samples cross join lab.readings
      where samples.id = ${1}::uuid and samples.project_id = ${1}::uuid and readings.sample_id = ${1}::uuid`,
    apart: () => sql`
      select value from lab.samples join lab.readings on readings.sample_id = samples.id where samples.project_id = ${1}::uuid
      union all
      select value from lab.readings where sample_id = ${1}::uuid`,
    nameBesides: () => sql`
      select samples.name, value
      from lab.readings left join lab.samples on samples.id = readings.sample_id and samples.project_id = ${1}::uuid
      where readings.sample_id = ${1}::uuid`,
    nameSelected: () => sql`
      select (select name from lab.samples where id = readings.sample_id and project_id = ${1}::uuid) as name, value
      from lab.readings where sample_id = ${1}::uuid`,
    byComputedKey: () => sql`
      select value
      from lab.samples join lab.readings on readings.sample_id = coalesce(${1}::uuid, samples.id)
      where samples.project_id = ${1}::uuid`,
    ofWhichever: () => sql`
      select value from lab.samples join lab.readings on readings.sample_id = samples.id where samples.id = ${1}::uuid`,
    written: () => sql`insert into lab.readings (sample_id, at) values (${1}::uuid, ${1}::int)`,
    writtenForMany: () => sql`
      insert into lab.readings (sample_id, at) select given.id, 1 from unnest(${1}::uuid[]) as given (id)`,
    changed: () => sql`update lab.readings set value = 0 where sample_id = ${1}::uuid`,
    deleted: () => sql`delete from lab.readings where at = any(${1}::int[])`,
  };
  expect(await find(planted)).toEqual({ 'where given': [], never: Object.keys(planted).sort() });
});
