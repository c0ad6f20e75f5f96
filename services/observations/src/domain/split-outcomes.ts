import type { BatchOutcome, RunDeviation } from './outcomes.js';
import { indexesOf } from './settle.js';

function sizeOf(deviations: readonly RunDeviation[]): number {
  return deviations.reduce((sum, { variables }) => sum + 1 + variables.length, 0);
}

/** An outcome in parts that name the runs they tell of. */
function* partsOf({ batch, deviations }: BatchOutcome, sizeMax: number): Generator<BatchOutcome> {
  const indexes = [...indexesOf(batch)].sort((a, b) => a - b);
  let told = 0;
  let start = 0;
  let size = 0;
  for (const [at, deviation] of deviations.entries()) {
    const own = sizeOf([deviation]);
    if (at > start && size + own > sizeMax) {
      const end = indexes.indexOf(deviation.index);
      yield { batch: { ...batch, indexes: indexes.slice(told, end) }, deviations: deviations.slice(start, at) };
      told = end;
      start = at;
      size = 0;
    }
    size += own;
  }
  yield { batch: { ...batch, indexes: indexes.slice(told) }, deviations: deviations.slice(start) };
}

/**
 * Outcomes in portions to be told one after the other, each with at most `sizeMax` runs and variables that deviate, or
 * one run. A batch that has more is told of in several: each run once, so that any portion may be told again, and what
 * was not told is what is still open.
 */
export function* splitOutcomes(outcomes: readonly BatchOutcome[], sizeMax: number): Generator<readonly BatchOutcome[]> {
  let portion: BatchOutcome[] = [];
  let size = 0;
  for (const outcome of outcomes) {
    const isSmall = sizeOf(outcome.deviations) <= sizeMax;
    for (const part of isSmall ? [outcome] : partsOf(outcome, sizeMax)) {
      const own = sizeOf(part.deviations);
      if (portion.length > 0 && size + own > sizeMax) {
        yield portion;
        portion = [];
        size = 0;
      }
      portion.push(part);
      size += own;
    }
  }
  yield portion;
}
