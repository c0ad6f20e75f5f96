import { openPool, type Pool, sql } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireScan } from '../src/rpc/scan-limit.js';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { selectScanEstimate } from '../src/store/scan-estimate.js';
import { projectId } from './test-points.js';
import { testDatabase } from './test-servers.js';

const startUs = Date.UTC(2020, 0, 1) * 1000;
const endUs = Date.UTC(2026, 0, 1) * 1000;

let database: TestDatabase;
let pool: Pool;
let admin: Pool;
beforeAll(async () => {
  database = await testDatabase();
  admin = openPool({ url: database.url, max: 1 });
  pool = openPool({
    url: database.url,
    role: 'weir_observations_query_tenant',
    max: 1,
    settings: { ...fixedPlans, 'weir.project_id': '*' },
  });
  // evenly each 10 minutes; two days of seconds three years apart; almost nothing; nothing
  await store(1, '2021-01-01', 60_000, '10 minutes');
  await store(2, '2021-01-01', 20_000, '1 second');
  await store(2, '2024-01-01', 20_000, '1 second');
  await store(3, '2025-06-01', 7, '1 day');
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
    values (4, ${projectId}, ${projectId}, 1)`);
  await admin.query(sql`update observations.series
    set last_at = (select max(at) from observations.observations as stored where stored.variable_key = series.variable_key)`);
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function store(variableKey: number, from: string, count: number, step: string): Promise<void> {
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
    values (${variableKey}, ${projectId}, ${projectId}, 1) on conflict do nothing`);
  await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
    select ${variableKey}::bigint, ${`${from} 00:00:00Z`}::timestamptz + number * ${step}::interval, number, 1
    from generate_series(0, ${count - 1}::int) as number`);
}

const estimate = async (variableKeys: number[], segments: number) =>
  (await selectScanEstimate.one(pool, { projectId, variableKeys, startUs, endUs, segments })).observations;

describe('the estimate of a scan', () => {
  test('is right where observations come evenly or are few, whatever the range', async () => {
    expect(await estimate([1], 24)).toBeCloseTo(60_000, -2);
    expect(await estimate([3], 24)).toBe(7);
    expect(await estimate([4, 77], 24)).toBe(0);
    expect(await estimate([1, 3, 4], 8)).toBeCloseTo(60_007, -2);
  });

  test('is too much for bursts, and less so the closer it looks', async () => {
    const [coarse, fine] = [await estimate([2], 24), await estimate([2], 2400)];
    expect(coarse).toBeGreaterThan(1_000_000);
    expect(fine).toBeGreaterThanOrEqual(39_000);
    expect(fine).toBeLessThan(200_000);
  });

  test('refuses what is too much before it is read, and says what to do', async () => {
    const asked = { projectId, startUs, endUs };
    await requireScan(pool, { ...asked, variableKeys: [1] }, 61_000);
    // the first look alone would have refused this
    await requireScan(pool, { ...asked, variableKeys: [2] }, 200_000);
    const refused = requireScan(pool, { ...asked, variableKeys: [1, 3] }, 50_000);
    await expect(refused).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(refused).rejects.toThrow(
      /would read about (59|60)000 observations, and may read 50000; ask for a shorter range/,
    );
  });
});
