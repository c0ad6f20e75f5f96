import { openPool, sql, sqlInstant } from '@weir/kit/sql';
import { expect, test, vi } from 'vitest';
import { MakingWay } from '../src/compute/making-way.js';
import { rollupRounds } from '../src/rollups.js';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { hourUs, startUs } from './rollup-asks.js';
import { write } from './rollup-writes.js';
import { projectId } from './test-points.js';
import { testDatabase } from './test-servers.js';

const secondUs = 1_000_000;
const seconds = 300_000;

test('rollups of very many observations are made in steps of whole hours, as are those of a change of so many', async () => {
  await using database = await testDatabase();
  await using admin = openPool({ url: database.url, max: 1 });
  await using processor = openPool({ url: database.url, role: 'weir_observations', max: 3, settings: fixedPlans });
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation, last_at)
    values (1, ${projectId}, ${projectId}, 1, ${sqlInstant(startUs + seconds * secondUs)})`);
  const store = async (value: number): Promise<void> => {
    const rows = Array.from({ length: seconds }, (_, i): [number, number] => [startUs + i * secondUs, value]);
    await processor.transaction((tx) => write(tx, 1, rows));
  };
  /** How far they are true, the observations that these tell of, if all have the value, and those that all tell of. */
  const made = async (value: number): Promise<unknown> => {
    const { rows } = await admin.query(sql`select state.until as until_us, (
          select sum(rollup.count)::int from observations.rollups as rollup
          where rollup.length_s = 3600 and rollup.start_at < state.until and rollup.total = ${value}::float8 * rollup.count
        ) as true, (select sum(rollup.count)::int from observations.rollups as rollup where rollup.length_s = 900) as all
      from observations.rollup_states as state`);
    return rows[0];
  };
  const makingWay = new MakingWay();
  const round = rollupRounds(processor, makingWay);
  await store(1);
  // a round that is told to end does so after the step that it is at
  const ending = new AbortController();
  const during = vi.spyOn(makingWay, 'during').mockImplementation(async (_, part) => {
    ending.abort();
    return await part();
  });
  await round(ending.signal);
  // 62 pages of 4,096 are a quarter of a million
  expect(during).toHaveBeenCalledTimes(62);
  const untilUs = Math.floor((startUs + 62 * 4096 * secondUs) / hourUs) * hourUs;
  const count = (untilUs - startUs) / secondUs;
  expect(await made(1)).toEqual({ until_us: untilUs, true: count, all: count });
  await round(new AbortController().signal);
  expect(await made(1)).toMatchObject({ true: seconds, all: seconds });
  await store(2);
  await round(new AbortController().signal);
  expect(await made(2)).toMatchObject({ true: seconds, all: seconds });
});
