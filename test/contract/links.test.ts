import { randomUUID } from 'node:crypto';
import { openPool } from '@weir/kit/sql';
import { createEmptyDatabase, createTestDatabase } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { readLinks } from '../harness/links.js';

/** Links that no foreign key keeps, by the reason. */
const withoutForeignKey: Readonly<Record<string, readonly string[]>> = {
  'written for every request: a check would double the time of its row': [
    'ingestion.batch_results.batch_id',
    'ingestion.idempotency_keys.batch_id',
  ],
  'written and deleted with the batch in one statement': ['ingestion.queue.batch_id', 'ingestion.queue.public_id'],
  'another unique index on what every request writes, for what few runs have; written by a join with the batch, deleted with it':
    ['ingestion.run_deviations.batch_id'],
  'what was admitted is kept for another time than the file that it came with': ['ingestion.batches.file_run_id'],
  'written for every point, or so many at a time: a check would double the time of its row, and lock the series for it':
    [
      'observations.changes.variable_key',
      'observations.observations.variable_key',
      'observations.rollups.variable_key',
    ],
  'written with the points that it is about: a check would lock what all of its inputs have in common': [
    'observations.dirty.run_id',
    'observations.dirty.variable_key',
  ],
  'what has no observation yet has no series; the link is kept in the project where it is made, in variables.calculation_inputs':
    ['observations.readers.input_key'],
  'triggers alone write it, from rows that are linked in their project': ['variables.aliases.instrument_id'],
  'what was done stands, whatever becomes of what it was done to': ['access.audit_entries.project_id'],
};

/** Ids that tell no row by their names: of one of three tables, which `cause_kind` tells. */
const otherwiseNamed = ['variables.recalculations.cause_id'];

test('S7: what names a row of its schema is a foreign key, with the project where both have one, or says why not', async () => {
  await using database = await createTestDatabase();
  const { links, unknown } = await readLinks(database.url);
  expect(links.length).toBeGreaterThanOrEqual(40);
  expect(links.filter(({ keeping }) => keeping === 'foreign key without the project')).toEqual([]);
  expect(links.filter(({ keeping }) => keeping === 'none').map(({ column }) => column)).toEqual(
    Object.values(withoutForeignKey).flat().sort(),
  );
  expect(unknown).toEqual(otherwiseNamed);
});

test('S7: a link that is none is found in any table, by the name of its column', async () => {
  await using database = await createEmptyDatabase();
  await using pool = openPool({ url: database.url, max: 1 });
  for (const text of [
    'create schema lab',
    'create table lab.samples (project_id uuid, id uuid primary key, earlier_sample_id uuid, unique (project_id, id))',
    'create table lab.batches (id bigint primary key)',
    'create table lab.series (series_key bigint primary key)',
    `create table lab.parts (
       project_id uuid, id uuid primary key, batch_id bigint references lab.batches, first_sample_id uuid,
       sample_id uuid references lab.samples, other_sample_id uuid, stranger_id uuid, input_key bigint, series_key bigint,
       foreign key (project_id, other_sample_id) references lab.samples (project_id, id)
     )`,
    'create table lab.late (sample_id uuid)',
    'alter table lab.late add foreign key (sample_id) references lab.samples not valid',
  ])
    await pool.query({ text, values: [] });
  const { links, unknown } = await readLinks(database.url);
  expect(links.map(({ column, keeping }) => [column, keeping])).toEqual([
    ['lab.late.sample_id', 'none'],
    ['lab.parts.batch_id', 'foreign key'],
    ['lab.parts.first_sample_id', 'none'],
    ['lab.parts.input_key', 'none'],
    ['lab.parts.other_sample_id', 'foreign key'],
    ['lab.parts.sample_id', 'foreign key without the project'],
    ['lab.parts.series_key', 'none'],
    ['lab.samples.earlier_sample_id', 'none'],
  ]);
  expect(unknown).toEqual(['lab.parts.stranger_id']);
});

test('S7: a calculation of one project is stored for no series of another', async () => {
  await using database = await createTestDatabase('observations');
  await using pool = openPool({ url: database.url, max: 1 });
  const [mine, other] = [randomUUID(), randomUUID()];
  const series = 'insert into observations.series (variable_key, project_id, instrument_id, generation)';
  await pool.query({ text: `${series} values (1, '${mine}', '${mine}', 1)`, values: [] });
  const calculate = (project: string) => {
    const columns = 'variable_key, project_id, variable_id, instrument_id, configuration_generation, version';
    const values = `1, '${project}', '${project}', '${project}', 1, 1`;
    return pool.query({ text: `insert into observations.calculations (${columns}) values (${values})`, values: [] });
  };
  await expect(calculate(other)).rejects.toMatchObject({ code: '23503' });
  expect((await calculate(mine)).rowCount).toBe(1);
});
