import type { Db } from '@weir/kit/sql';
import type { Rows } from '../domain/arrange-rows.js';
import type { RowSeries } from '../domain/settle.js';
import { lastRows } from '../domain/split-rows.js';
import { insertSeries, selectLastInstants } from '../store/series.js';

/** Series that are remembered at most. */
const seriesMax = 1_000_000;

/**
 * The series that this process has seen, with the greatest instant that it knows of each. Other
 * processors may have stored later ones: what is known here chooses the way to write, and no more.
 */
export class SeriesMemory {
  readonly #lastInstantsUs = new Map<number, number>();

  /** Makes the series that are not known, where they are not there, and learns their last instants. */
  async ensure(db: Db, series: readonly RowSeries[]): Promise<void> {
    const unknown = series.filter(({ variableKey }) => !this.#lastInstantsUs.has(variableKey));
    if (unknown.length === 0) return;
    if (this.#lastInstantsUs.size > seriesMax) this.#lastInstantsUs.clear();
    const variableKeys = unknown.map(({ variableKey }) => variableKey);
    await insertSeries.run(db, {
      variableKeys,
      projectIds: unknown.map(({ projectId }) => projectId),
      instrumentIds: unknown.map(({ instrumentId }) => instrumentId),
      generations: unknown.map(({ generation }) => generation),
    });
    const last = await selectLastInstants.all(db, { variableKeys });
    for (const key of variableKeys) this.#lastInstantsUs.set(key, Number.NEGATIVE_INFINITY);
    for (const { variableKey, lastAtUs } of last) this.#lastInstantsUs.set(variableKey, lastAtUs);
  }

  /** -Infinity where no observation is known. */
  lastInstantUs(variableKey: number): number {
    return this.#lastInstantsUs.get(variableKey) ?? Number.NEGATIVE_INFINITY;
  }

  /** The series whose last instant these rows raise, in ascending order of key. */
  risen(rows: Rows): { readonly variableKeys: Float64Array; readonly instantsUs: Float64Array } {
    const numbers = lastRows(rows).filter(
      (row) => (rows.instantsUs[row] as number) > this.lastInstantUs(rows.variableKeys[row] as number),
    );
    return {
      variableKeys: Float64Array.from(numbers, (row) => rows.variableKeys[row] as number),
      instantsUs: Float64Array.from(numbers, (row) => rows.instantsUs[row] as number),
    };
  }

  /** Remembers rows that are stored. */
  note(rows: Rows): void {
    const { variableKeys, instantsUs } = this.risen(rows);
    variableKeys.forEach((variableKey, i) => {
      this.#lastInstantsUs.set(variableKey, instantsUs[i] as number);
    });
  }
}
