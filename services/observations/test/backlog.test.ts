import { connect } from '@weir/kit/rpc';
import { openPool, sql } from '@weir/kit/sql';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { expect, test } from 'vitest';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

test('the query service counts what waits to be computed, by lane', async () => {
  await using database = await testDatabase();
  await using admin = openPool({ url: database.url, max: 1 });
  await using query = await startTestQuery(database.url);
  using client = connect(ObservationsServiceDefinition, query.address);
  expect(await client.getBacklog({})).toMatchObject({ live: 0, recalculation: 0, putAside: 0 });
  await admin.query(sql`
    insert into observations.dirty (variable_key, ranges, lane, configuration_generation, range_count)
    select 1, '{[2026-01-01,2026-01-02)}', lane, 0, 1
    from unnest('{0, 1, 1, 2, 2, 2}'::smallint[]) as lanes (lane)`);
  expect(await client.getBacklog({})).toMatchObject({ live: 1, recalculation: 2, putAside: 3 });
});
