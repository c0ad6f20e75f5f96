import type { Calculation, ReadyPiece, SeriesInput } from './calculation.js';
import { clipRanges, stretchBack, uniteRanges } from './combine-ranges.js';
import type { Ranges } from './ranges.js';

/** What has to be read of a series. */
export interface NeededRead {
  readonly variableKey: number;
  readonly ranges: Ranges;
  /**
   * Whether the last observation before each range is needed too; that one may lie so far before it, undefined
   * however far.
   */
  readonly before: { readonly reachUs: number | undefined } | undefined;
  /** Whether it is for windows, which hold many observations for each instant. */
  readonly isWindowed: boolean;
}

function merge(reads: readonly NeededRead[]): NeededRead[] {
  return [...Map.groupBy(reads, ({ variableKey }) => variableKey)].map(([variableKey, ofSeries]) => {
    const befores = ofSeries.map(({ before }) => before).filter((before) => before !== undefined);
    const isEndless = befores.some(({ reachUs }) => reachUs === undefined);
    const reachUs = isEndless ? undefined : Math.max(...befores.map((before) => before.reachUs ?? 0));
    return {
      variableKey,
      ranges: uniteRanges(ofSeries.map(({ ranges }) => ranges)),
      before: befores.length === 0 ? undefined : { reachUs },
      isWindowed: ofSeries.some(({ isWindowed }) => isWindowed),
    };
  });
}

function forEachPiece({ pieces }: Calculation, ranges: Ranges, of: (piece: ReadyPiece, part: Ranges) => NeededRead[]) {
  const reads = pieces.flatMap((piece) => {
    const part = clipRanges(ranges, piece.startUs, piece.endUs);
    return part.startsUs.length === 0 ? [] : of(piece, part);
  });
  return merge(reads);
}

/** What has to be read to know at which instants in the ranges there may be results. */
export function driverReads(calculation: Calculation, ranges: Ranges): NeededRead[] {
  return forEachPiece(calculation, ranges, ({ driverKeys }, part) =>
    driverKeys.map((variableKey) => ({ variableKey, ranges: part, before: undefined, isWindowed: false })),
  );
}

function toRead({ variableKey, bufferUs, kind, needs }: SeriesInput, part: Ranges): NeededRead {
  if (needs.windows && bufferUs !== undefined) {
    return { variableKey, ranges: stretchBack(part, bufferUs), before: undefined, isWindowed: true };
  }
  const isAsOf = kind === 'instrument_variable' && bufferUs !== undefined;
  const before = isAsOf || needs.previous ? { reachUs: bufferUs } : undefined;
  return { variableKey, ranges: part, before, isWindowed: false };
}

/**
 * What has to be read to evaluate the ranges, but for what the reads of the drivers brought already. Of what is read
 * as of an instant only the last observation before the ranges is needed, however far back it may lie.
 */
export function inputReads(calculation: Calculation, ranges: Ranges): NeededRead[] {
  const driverKeys = new Set(driverReads(calculation, ranges).map(({ variableKey }) => variableKey));
  const reads = forEachPiece(calculation, ranges, ({ series }, part) => series.map((input) => toRead(input, part)));
  const isRead = ({ variableKey, before, isWindowed }: NeededRead): boolean =>
    driverKeys.has(variableKey) && before === undefined && !isWindowed && isDriverAlone(calculation, variableKey);
  return reads.filter((read) => !isRead(read));
}

/** Whether a series is read at the very instants that it makes, and in no other way. */
function isDriverAlone({ pieces }: Calculation, variableKey: number): boolean {
  return pieces.every(
    ({ series, driverKeys }) =>
      driverKeys.includes(variableKey) || series.every((input) => input.variableKey !== variableKey),
  );
}
