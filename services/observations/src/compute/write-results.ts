import { sqlInstant, type Transaction } from '@weir/kit/sql';
import { mergeSeries } from '../domain/known-series.js';
import { planWrites, toResultRows } from '../domain/write-results.js';
import { bigintArray, instantArray } from '../store/binary.js';
import { noteChanges } from '../store/changes.js';
import { copyObservations, toRowColumns } from '../store/observations.js';
import { deleteResults, deleteResultsWithin, putResults } from '../store/results.js';
import type { Computed } from './compute-claimed.js';

/** Fewer rows than this are put one by one: a copy takes a round trip more. */
const copyRowsMin = 64;

/** Makes what is stored be what was computed, and writes nothing else. */
export async function writeResults(tx: Transaction, computed: readonly Computed[]): Promise<void> {
  const plans = computed.map(({ claimed, evaluation, ranges, settled, storedCount }) => {
    const { variableKey, generation } = claimed;
    return { variableKey, generation, ranges, ...planWrites(evaluation, settled, storedCount) };
  });
  const isCopied = plans.reduce((sum, { inserts }) => sum + inserts.atUs.length, 0) >= copyRowsMin;
  for (const { variableKey, isRewritten, ranges, deletesUs } of plans) {
    if (deletesUs.length > 0) await deleteResults.run(tx, { variableKey, instants: instantArray(deletesUs) });
    if (!isRewritten) continue;
    for (const [i, startUs] of ranges.startsUs.entries()) {
      const end = sqlInstant(ranges.endsUs[i]);
      await deleteResultsWithin.run(tx, { variableKey, start: sqlInstant(startUs), end });
    }
  }
  if (isCopied) {
    await copyObservations(tx, toResultRows(plans.map((plan) => ({ ...plan, series: plan.inserts }))));
  }
  const puts = toResultRows(
    plans.map((plan) => ({ ...plan, series: isCopied ? plan.puts : mergeSeries(plan.inserts, plan.puts) })),
  );
  if (puts.count > 0) await putResults.run(tx, toRowColumns(puts));
}

/** What is last but for the marks: notes which ranges were changed, and raises the last instants of series that have new results. */
export async function noteResults(tx: Transaction, computed: readonly Computed[]): Promise<void> {
  const changed = computed.filter(({ settled }) => settled.instantsUs.length > 0);
  if (changed.length === 0) return;
  const risen = changed.filter(({ settled }) => settled.added.atUs.length > 0);
  await noteChanges.run(tx, {
    variableKeys: bigintArray(Float64Array.from(changed, ({ claimed }) => claimed.variableKey)),
    firstInstants: instantArray(Float64Array.from(changed, ({ settled }) => settled.instantsUs[0] as number)),
    lastInstants: instantArray(Float64Array.from(changed, ({ settled }) => settled.instantsUs.at(-1) as number)),
    risenKeys: bigintArray(Float64Array.from(risen, ({ claimed }) => claimed.variableKey)),
    risenInstants: instantArray(Float64Array.from(risen, ({ settled }) => settled.added.atUs.at(-1) as number)),
  });
}
