/** Where a page ended: in which series, by its number, and at which instant. */
export interface PagePosition {
  readonly seriesIndex: number;
  readonly atUs: number;
}

/** A half-open range of a series, in microseconds. */
export interface SeriesRange {
  readonly seriesIndex: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** Where the observations of a page end before its ranges do. */
export interface PageCut {
  /** Number of the range that has more. */
  readonly rangeIndex: number;
  /** The last instant of the page in that range; undefined when it has none of it. */
  readonly lastUs: number | undefined;
}

/** What is left of ranges after a position. Ranges ascend by series, and within one in the order read. */
export function rangesAfter(
  ranges: readonly SeriesRange[],
  position: PagePosition | undefined,
  descending: boolean,
): SeriesRange[] {
  if (position === undefined) return [...ranges];
  const { seriesIndex, atUs } = position;
  return ranges.flatMap((range) => {
    if (range.seriesIndex !== seriesIndex) return range.seriesIndex > seriesIndex ? [range] : [];
    const rest = descending
      ? { ...range, endUs: Math.min(range.endUs, atUs) }
      : { ...range, startUs: Math.max(range.startUs, atUs + 1) };
    return rest.startUs < rest.endUs ? [rest] : [];
  });
}

/** The part of ranges that a page covers, whether something lies in it or not. */
export function coveredRanges(
  ranges: readonly SeriesRange[],
  cut: PageCut | undefined,
  descending: boolean,
): SeriesRange[] {
  if (cut === undefined) return [...ranges];
  const covered = ranges.slice(0, cut.rangeIndex);
  const last = ranges[cut.rangeIndex];
  if (last !== undefined && cut.lastUs !== undefined)
    covered.push(descending ? { ...last, startUs: cut.lastUs } : { ...last, endUs: cut.lastUs + 1 });
  return covered;
}

/** The position after which nothing of these ranges is left. */
export function positionAfter(ranges: readonly SeriesRange[], descending: boolean): PagePosition | undefined {
  const last = ranges.at(-1);
  if (last === undefined) return undefined;
  return { seriesIndex: last.seriesIndex, atUs: descending ? last.startUs : last.endUs - 1 };
}
