import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@weir/kit/sql';
import type { FaultStack } from '../harness/fault-stack.js';
import type { CountedRuns, RunCounts } from './history.js';

/** The one that counts; with replicas, each would count a part. */
const counting = 'ingestion';
/** So often, and so many milliseconds apart, it is looked whether it has counted what is stored. */
const looksMax = 20;
const lookMs = 100;

async function readStored({ database }: FaultStack): Promise<RunCounts> {
  const { rows } = await database.query(sql`
    select
      (select sum(run_count) from ingestion.batches) as admitted,
      (select sum(run_count) from ingestion.batches join ingestion.batch_results on batch_id = batches.id
        where finished_at is not null) as completed,
      (select count(*) from ingestion.run_deviations where state = 'failed') as failed`);
  const [row] = rows;
  return {
    admitted: Number(row?.['admitted']),
    completed: Number(row?.['completed']),
    failed: Number(row?.['failed']),
  };
}

async function readCounted({ metric }: FaultStack): Promise<RunCounts> {
  const completed = 'weir_ingestion_runs_completed_total';
  return {
    admitted: await metric(counting, 'weir_ingestion_runs_admitted_total'),
    completed: await metric(counting, completed),
    failed: await metric(counting, completed, /weir_run_state="failed"/),
  };
}

/** Calls that it could not answer: what they had committed was perhaps never told to it. */
const readUnanswered = ({ metric }: FaultStack): Promise<number> =>
  metric(counting, 'rpc_server_call_duration_seconds_count', /error_type="(dependency_unavailable|internal)"/);

const less = (after: RunCounts, before: RunCounts): RunCounts => ({
  admitted: after.admitted - before.admitted,
  completed: after.completed - before.completed,
  failed: after.failed - before.failed,
});

const isBehind = (counted: RunCounts, stored: RunCounts): boolean =>
  counted.admitted < stored.admitted || counted.completed < stored.completed || counted.failed < stored.failed;

/** Begins to count runs while nothing is queued. @returns what ends it, when nothing is queued again */
export async function countRuns(faults: FaultStack): Promise<() => Promise<CountedRuns | undefined>> {
  const { stack } = faults;
  if (stack.processes.some(({ name }) => name === `${counting}-2`)) return async () => undefined;
  const { pid } = stack.process(counting);
  const before = {
    counted: await readCounted(faults),
    stored: await readStored(faults),
    unanswered: await readUnanswered(faults),
  };
  return async () => {
    // a counter ends with its process
    if (stack.process(counting).pid !== pid) return undefined;
    const stored = less(await readStored(faults), before.stored);
    let counted = less(await readCounted(faults), before.counted);
    // what is committed is seen before it is told to who committed it, and counts it
    for (let looks = 0; looks < looksMax && isBehind(counted, stored); looks++) {
      await delay(lookMs);
      counted = less(await readCounted(faults), before.counted);
    }
    return {
      counted,
      stored,
      isExact: (await readUnanswered(faults)) === before.unanswered,
    };
  };
}
