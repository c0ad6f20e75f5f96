import type { Metric } from './metric.js';

/** Values of one metric under one set of attributes. */
export interface Series {
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The sum of a histogram. */
  value: number;
  /** How many values fell into each bucket, and after the last bound; empty but for histograms. */
  readonly counts: Float64Array;
}

/** Series that a metric may have; what is beyond is counted in one of its own, so that memory stays bounded. */
const seriesMax = 2000;
const overflow = { 'otel.metric.overflow': 'true' };
/** Series that are there from the beginning, as zero, when so few are possible: their first rise is seen as one. */
const zeroSeriesMax = 32;

type Given = Readonly<Record<string, unknown>>;

/** Every combination of the attributes whose values are declared; none when some are not, or they are many. */
function knownAttributes(declared: Metric['attributes']): Record<string, string>[] {
  let known: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(declared ?? {})) {
    if (typeof values === 'string') return [];
    known = known.flatMap((before) => values.map((value) => ({ ...before, [name]: value })));
    if (known.length > zeroSeriesMax) return [];
  }
  return known;
}

/**
 * Counts by one metric. Counting is a look-up in a map and an addition, so that it may stand on hot paths: a third of what
 * an instrument of the SDK takes, and less (docs/decisions/0034-metrics-are-declared-and-counted-by-ourselves.md).
 */
export class Instrument {
  readonly metric: Metric;
  readonly series = new Map<string, Series>();
  readonly #names: readonly string[];
  readonly #bounds: readonly number[];

  constructor(metric: Metric) {
    this.metric = metric;
    this.#names = Object.keys(metric.attributes ?? {});
    this.#bounds = metric.buckets ?? [];
    if (metric.kind === 'counter') for (const attributes of knownAttributes(metric.attributes)) this.#at(attributes);
  }

  add(amount: number, given?: Given): void {
    this.#at(given).value += amount;
  }

  set(value: number, given?: Given): void {
    this.#at(given).value = value;
  }

  record(value: number, given?: Given): void {
    const series = this.#at(given);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.value += value;
  }

  #at(given: Given | undefined): Series {
    let key = '';
    if (given !== undefined) for (const name of this.#names) key += `${String(given[name])}\0`;
    return this.series.get(key) ?? this.#begin(key, given);
  }

  #begin(key: string, given: Given = {}): Series {
    if (this.series.size >= seriesMax) {
      const last = this.series.get('overflow');
      if (last !== undefined) return last;
      return this.#put('overflow', overflow);
    }
    const named = this.#names.flatMap((name): [string, string | number][] => {
      const value = given[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
    });
    return this.#put(key, Object.fromEntries(named));
  }

  #put(key: string, attributes: Series['attributes']): Series {
    const buckets = this.metric.kind === 'histogram' ? this.#bounds.length + 1 : 0;
    const series = { attributes, value: 0, counts: new Float64Array(buckets) };
    this.series.set(key, series);
    return series;
  }
}
