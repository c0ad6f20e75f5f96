import { sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { countQueue, estimateQueue } from '../src/store/queue.js';
import { newScope, submission, testIngestion } from './test-ingestion.js';

test('a short queue is counted to the run, and of a long one a few pages tell how much there is', async () => {
  await using it = await testIngestion();
  for (const runs of [3, 5]) await it.admit(submission(newScope(), runs));
  expect(await estimateQueue.one(it.pool, { pages: 1 })).toEqual({ batches: 2, runs: 8 });

  await it.pool.query(sql`
    insert into ingestion.queue (
      batch_id, public_id, project_id, connection_id, published_at, lane, shard, run_count, is_fresh, epoch
    )
    select 1000000 + number, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), 'live', 0, 10, true, 0
    from generate_series(1, 50000) as number`);
  expect(await countQueue.one(it.pool, {})).toEqual({ batches: 50_002, runs: 500_008 });
  // of some seven hundred pages, by seven times the deviation that chance has
  const { batches, runs } = await estimateQueue.one(it.pool, { pages: 200 });
  expect(Math.abs(batches / 50_002 - 1)).toBeLessThan(0.45);
  expect(Math.abs(runs / 500_008 - 1)).toBeLessThan(0.45);
});
