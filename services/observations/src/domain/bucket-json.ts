import { aggregateFunction } from './aggregate-functions.js';
import type { Buckets } from './buckets.js';
import { type Fill, fillValues, placeBuckets } from './fill-buckets.js';
import { formatInstants } from './format-instants.js';

/** A column of an answer as a JSON array. */
export interface JsonColumn {
  readonly name: string;
  readonly json: string;
}

function numbersJson(values: Float64Array): string {
  let json = '';
  for (const value of values) json += `${json === '' ? '' : ','}${Number.isNaN(value) ? 'null' : value}`;
  return `[${json}]`;
}

/** What of a series goes into an answer. */
export interface BucketsToWrite {
  /** Where the buckets of the answer start, in ascending order. */
  readonly starts: Float64Array;
  /** The buckets that have observations, and those beside the answer that fill its ends. */
  readonly buckets: Buckets;
  readonly functions: readonly string[];
  readonly fill: Fill;
  /** Whether the range covers a bucket whole, by its start. */
  readonly isComplete: (startUs: number) => boolean;
  /** Whether there is a gap, by bucket. */
  readonly gaps?: readonly boolean[] | undefined;
  readonly descending: boolean;
}

function functionJson(name: string, places: Int32Array, { starts, buckets, fill, descending }: BucketsToWrite): string {
  const wanted = aggregateFunction(name);
  if (wanted === undefined) throw new Error(`there is no function ${name}`);
  const own = { starts: buckets.starts, values: wanted.of(buckets) };
  const values =
    wanted.kind === 'number'
      ? fillValues(starts, places, own, fill)
      : Float64Array.from(places, (place) => own.values[place] ?? (wanted.kind === 'count' ? 0 : Number.NaN));
  if (descending) values.reverse();
  return wanted.kind === 'instant' ? formatInstants(values) : numbersJson(values);
}

/** The columns of a series in an answer: `timestamps`, `complete`, one for each function, and `gap`. */
export function bucketsJson(given: BucketsToWrite): JsonColumn[] {
  const { starts, buckets, functions, isComplete, gaps, descending } = given;
  const places = placeBuckets(starts, buckets);
  const stamps = descending ? starts.toReversed() : starts;
  const flags = (each: readonly boolean[]): string => `[${(descending ? each.toReversed() : each).join(',')}]`;
  return [
    { name: 'timestamps', json: formatInstants(stamps) },
    { name: 'complete', json: flags(Array.from(starts, isComplete)) },
    ...functions.map((name) => ({ name, json: functionJson(name, places, given) })),
    ...(gaps === undefined ? [] : [{ name: 'gap', json: flags(gaps) }]),
  ];
}
