import type { Db } from '@weir/kit/sql';
import { inSpanOf, SpanKind } from '@weir/kit/telemetry';
import { selectOrigins } from '../store/recalculations.js';

/** Slices of a recalculation that stand in the trace of who asked for it; each further one has a trace of its own, with a link. */
const slicesMax = 16;
/** Recalculations that are remembered. */
const runsMax = 1000;

/** Shows what is computed for recalculations to who asked for them, however long it takes. */
export class RecalculationSpans {
  readonly #slices = new Map<string, number>();

  /** Whether the next slice stands in the trace of who asked for the run. */
  #isTold(runId: string): boolean {
    const slices = (this.#slices.get(runId) ?? 0) + 1;
    if (this.#slices.size > runsMax) this.#slices.clear();
    this.#slices.set(runId, slices);
    return slices <= slicesMax;
  }

  /** Computes a slice of a variable for the recalculations that have marked it. */
  async inSpan<T>(db: Db, variableKey: number, work: () => Promise<T>): Promise<T> {
    const origins = await selectOrigins.all(db, { variableKey });
    const attributes = {
      'weir.run_ids': origins.map(({ runId }) => runId),
      'weir.project_ids': [...new Set(origins.map(({ projectId }) => projectId))],
    };
    const isApart = !this.#isTold(origins[0]?.runId ?? '');
    return await inSpanOf('recalculate', origins, { kind: SpanKind.CONSUMER, attributes, isApart }, work);
  }
}
