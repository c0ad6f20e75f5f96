import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool, sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { projectId } from './test-points.js';
import { testDatabase } from './test-servers.js';

const page = join(import.meta.dirname, '../../../docs/operators/growth.md');

test('every statement of the page on growth does what the page says', async () => {
  await using database = await testDatabase();
  await using admin = openPool({ url: database.url, max: 1 });
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```sql\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  const [sizes = '', takeOut = '', bringBack = ''] = blocks;
  expect(blocks).toHaveLength(3);
  const run = (text: string) => admin.query({ text, values: [] });
  const values = async () =>
    (await admin.query(sql`select value from observations.observations order by at`)).rows.map((row) => row['value']);
  const insert = (second: number, value: number, admitted: number) =>
    admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
      values (1, timestamptz '2003-05-01 00:00:00Z' + ${second} * interval '1 second', ${value}, ${admitted})`);

  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
    values (1, ${projectId}, ${projectId}, 1)`);
  await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
    select 1, timestamptz '2004-05-01 00:00:00Z' + number * interval '1 second', number, 1
    from generate_series(1, 2000) as number`);
  expect((await run(sizes)).rows).toMatchObject([{ year: 'observations_2004' }]);
  await run('delete from observations.observations');

  await insert(0, 1, 10);
  await insert(1, 2, 20);
  await run(takeOut);
  expect(await values()).toEqual([]);
  // late data finds its year, what was admitted before loses again
  await insert(0, -1, 5);
  await insert(1, -2, 30);
  await insert(2, 3, 40);
  await run(bringBack);
  expect(await values()).toEqual([1, -2, 3]);
  const { rows } = await admin.query(sql`select first_at, last_at from observations.changes order by xid`);
  const at = (second: number) => (Date.UTC(2003, 4, 1) + second * 1000) * 1000;
  expect(rows).toEqual([
    { first_at: at(0), last_at: at(1) },
    { first_at: at(0), last_at: at(2) },
  ]);
  // the year has its covering index and its bounds as before
  await expect(insert(2, 3, 41)).rejects.toThrow('duplicate key');
});
