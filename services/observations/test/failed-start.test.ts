import { openPool, sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { testBench } from './test-processor.js';

test('a processor that cannot listen leaves nothing open', async () => {
  await using bench = await testBench();
  const url = new URL(bench.config.databaseUrl);
  url.searchParams.set('application_name', 'failed-start');
  const start = bench.start({ databaseUrl: url.href, listenAddress: bench.peers.address });
  await expect(start).rejects.toThrow('EADDRINUSE');
  await using admin = openPool({ url: bench.config.databaseUrl, max: 1 });
  const left = sql`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${'failed-start'}`;
  // the server forgets a connection a moment after it was closed
  await expect.poll(async () => (await admin.query(left)).rows, { timeout: 5000 }).toEqual([{ count: 0 }]);
});
