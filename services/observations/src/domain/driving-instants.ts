import type { Calculation } from './calculation.js';
import { countBefore, type KnownSeries, mergeInstants } from './known-series.js';

/** The instants at which a piece is evaluated. */
export interface PieceInstants {
  /** among the pieces of the calculation */
  readonly piece: number;
  /** ascending */
  readonly instantsUs: Float64Array;
}

/** The first instants at which a calculation is evaluated. */
export interface DrivingInstants {
  readonly pieces: readonly PieceInstants[];
  readonly count: number;
  /** There are no others before this instant; infinite when they are all. */
  readonly untilUs: number;
}

/** Those before an instant. */
export function instantsBefore({ pieces, untilUs }: DrivingInstants, us: number): DrivingInstants {
  if (us >= untilUs)
    return { pieces, count: pieces.reduce((sum, { instantsUs }) => sum + instantsUs.length, 0), untilUs };
  const kept = pieces
    .map(({ piece, instantsUs }) => ({ piece, instantsUs: instantsUs.subarray(0, countBefore(instantsUs, us)) }))
    .filter(({ instantsUs }) => instantsUs.length > 0);
  return { pieces: kept, count: kept.reduce((sum, { instantsUs }) => sum + instantsUs.length, 0), untilUs: us };
}

/**
 * The first instants, at most `max`, at which a calculation is evaluated: those of the observations of its drivers.
 *
 * @param drivers - what `driverReads` asked for
 * @param endUs - no further than this, infinite for all
 */
export function drivingInstants(
  { pieces }: Calculation,
  drivers: ReadonlyMap<number, KnownSeries>,
  endUs: number,
  max: number,
): DrivingInstants {
  let untilUs = endUs;
  for (const series of drivers.values()) untilUs = Math.min(untilUs, series.untilUs);
  const found: PieceInstants[] = [];
  let count = 0;
  for (const [piece, { startUs, endUs: pieceEndUs, driverKeys }] of pieces.entries()) {
    let instantsUs = new Float64Array(0);
    for (const key of driverKeys) {
      const atUs = drivers.get(key)?.atUs ?? new Float64Array(0);
      const until = Math.min(pieceEndUs, untilUs);
      instantsUs = mergeInstants(
        instantsUs,
        atUs.subarray(countBefore(atUs, startUs), countBefore(atUs, until)),
      ) as typeof instantsUs;
    }
    if (instantsUs.length === 0) continue;
    if (count + instantsUs.length > max) {
      untilUs = instantsUs[max - count] as number;
      instantsUs = instantsUs.subarray(0, max - count);
    }
    count += instantsUs.length;
    if (instantsUs.length > 0) found.push({ piece, instantsUs });
  }
  return { pieces: found, count, untilUs };
}
