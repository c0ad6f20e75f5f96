/** Partial aggregates of one series, one a bucket that has observations, as columns. Instants in microseconds. */
export interface Rollups {
  readonly startsUs: Float64Array;
  readonly lengthsS: Float64Array;
  readonly counts: Float64Array;
  /** NaN where a value is so large that a sum of such might overflow; areas likewise. */
  readonly totals: Float64Array;
  readonly minima: Float64Array;
  readonly maxima: Float64Array;
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
  readonly firstInstants: Float64Array;
  readonly lastInstants: Float64Array;
  readonly minInstants: Float64Array;
  readonly maxInstants: Float64Array;
  /** Twice the area below the lines between neighbours, in units times microseconds. */
  readonly areas: Float64Array;
  /** The longest time between neighbours in microseconds. */
  readonly gaps: Float64Array;
}

/** A partial aggregate of neighbouring observations. */
interface Part {
  startUs: number;
  count: number;
  total: number;
  minimum: number;
  maximum: number;
  readonly first: number;
  last: number;
  readonly firstUs: number;
  lastUs: number;
  minUs: number;
  maxUs: number;
  area: number;
  gapUs: number;
}

const quarterUs = 900_000_000;
const hourUs = 3_600_000_000;
/** A sum of values below this does not overflow, however many there are. */
const valueEnd = 1e290;

function partOf(startUs: number, atUs: number, value: number): Part {
  const isSafe = Math.abs(value) < valueEnd;
  return {
    startUs,
    count: 1,
    total: isSafe ? value : Number.NaN,
    minimum: value,
    maximum: value,
    first: value,
    last: value,
    firstUs: atUs,
    lastUs: atUs,
    minUs: atUs,
    maxUs: atUs,
    area: isSafe ? 0 : Number.NaN,
    gapUs: 0,
  };
}

/** Adds a part that follows in time. */
function append(part: Part, next: Part): void {
  const pauseUs = next.firstUs - part.lastUs;
  part.count += next.count;
  part.total += next.total;
  // where one of the two is NaN because of a large value, so is the sum
  part.area += next.area + (Number.isNaN(part.area + next.area) ? 0 : (part.last + next.first) * pauseUs);
  part.gapUs = Math.max(part.gapUs, next.gapUs, pauseUs);
  if (next.minimum < part.minimum) {
    part.minimum = next.minimum;
    part.minUs = next.minUs;
  }
  if (next.maximum > part.maximum) {
    part.maximum = next.maximum;
    part.maxUs = next.maxUs;
  }
  part.last = next.last;
  part.lastUs = next.lastUs;
}

const floorTo = (us: number, lengthUs: number): number => Math.floor(us / lengthUs) * lengthUs;

/** Makes rollups of observations that come in ascending time: by quarters of an hour, and by hours. */
export class RollupBuilder {
  readonly #quarters: Part[] = [];

  /** Adds observations that follow those added before. */
  add(instantsUs: Float64Array, values: Float64Array): void {
    let part = this.#quarters.at(-1);
    let endUs = part === undefined ? Number.NEGATIVE_INFINITY : part.startUs + quarterUs;
    for (let i = 0; i < instantsUs.length; i++) {
      const atUs = instantsUs[i] as number;
      const value = values[i] as number;
      if (part === undefined || atUs >= endUs) {
        part = partOf(floorTo(atUs, quarterUs), atUs, value);
        endUs = part.startUs + quarterUs;
        this.#quarters.push(part);
        continue;
      }
      // what `append` does with a part of one observation, without making one
      const pauseUs = atUs - part.lastUs;
      const isSafe = Math.abs(value) < valueEnd;
      part.count++;
      part.total += isSafe ? value : Number.NaN;
      part.area += isSafe && Math.abs(part.last) < valueEnd ? (part.last + value) * pauseUs : Number.NaN;
      if (pauseUs > part.gapUs) part.gapUs = pauseUs;
      if (value < part.minimum) {
        part.minimum = value;
        part.minUs = atUs;
      } else if (value > part.maximum) {
        part.maximum = value;
        part.maxUs = atUs;
      }
      part.last = value;
      part.lastUs = atUs;
    }
  }

  /** The rollups of all that was added before the beginning of an hour. */
  finish(endUs = Number.POSITIVE_INFINITY): Rollups {
    const quarters = this.#quarters.filter(({ startUs }) => startUs < endUs);
    const hours: Part[] = [];
    for (const quarter of quarters) {
      const startUs = floorTo(quarter.startUs, hourUs);
      const hour = hours.at(-1);
      if (hour?.startUs === startUs) append(hour, quarter);
      else hours.push({ ...quarter, startUs });
    }
    const parts = [...quarters, ...hours];
    const column = (of: (part: Part) => number): Float64Array => Float64Array.from(parts, of);
    return {
      startsUs: column((part) => part.startUs),
      lengthsS: Float64Array.from(parts, (_, i) => (i < quarters.length ? quarterUs : hourUs) / 1_000_000),
      counts: column((part) => part.count),
      totals: column((part) => part.total),
      minima: column((part) => part.minimum),
      maxima: column((part) => part.maximum),
      firsts: column((part) => part.first),
      lasts: column((part) => part.last),
      firstInstants: column((part) => part.firstUs),
      lastInstants: column((part) => part.lastUs),
      minInstants: column((part) => part.minUs),
      maxInstants: column((part) => part.maxUs),
      areas: column((part) => part.area),
      gaps: column((part) => part.gapUs),
    };
  }
}
