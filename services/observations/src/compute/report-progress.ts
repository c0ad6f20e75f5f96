import type { RpcClient } from '@weir/kit/rpc';
import type { Pool } from '@weir/kit/sql';
import type { RecalculationReport, VariablesServiceDefinition } from '@weir/proto/variables';
import {
  deleteRecalculations,
  endRecalculations,
  noteReported,
  type Progress,
  selectProgress,
} from '../store/recalculations.js';

/** Runs in one report at most. */
const reportMax = 500;
/** A run that has ended is kept so long: a change of it that comes again finds it. */
const keepDays = 7;

/** What reporting works with. */
export interface Reporting {
  readonly pool: Pool;
  readonly variables: RpcClient<VariablesServiceDefinition>;
}

function toReport({ runId, projectId, state, errorCode, ...counters }: Progress): RecalculationReport {
  const { rangesTotal, rangesDone, rangesSkipped, instantsTotal, instantsDone, missing } = counters;
  const progress = { rangesTotal, rangesDone, rangesSkipped, instantsTotal, instantsDone, missing };
  return { runId, projectId, state, errorCode: errorCode ?? '', progress };
}

/** Ends the runs that are through, and tells the variables service of all that have gone on. */
export async function reportProgress({ pool, variables }: Reporting, signal: AbortSignal): Promise<void> {
  await endRecalculations.run(pool, {});
  while (!signal.aborted) {
    const told = await selectProgress.all(pool, { limit: reportMax });
    if (told.length === 0) return;
    await variables.reportRecalculations({ reports: told.map(toReport) });
    await noteReported.run(pool, { told });
    if (told.length < reportMax) return;
  }
}

/** Forgets runs whose end the variables service knows since long. */
export async function forgetRecalculations({ pool }: Reporting): Promise<void> {
  await deleteRecalculations.run(pool, { days: keepDays });
}
