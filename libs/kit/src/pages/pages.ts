import { faultError, type WeirError } from '../errors/index.js';
import { isId } from '../ids/index.js';

/** What a list is asked for, as requests of services have it. */
export interface PageRequest {
  /** How many records, at most. */
  readonly limit: number;
  /** The `next_after` of the page before; empty for the first. */
  readonly after: string;
}

/** A checked request of a page of records in the order of their ids, which is the order of their creation. */
export interface Page {
  /** Records with a greater id belong to the page. */
  readonly after: string;
  /** How many records to read: one more than are asked for tells whether there is a further page. */
  readonly readMax: number;
}

/** Less than every id that Weir gives out. */
const beforeAllIds = '00000000-0000-0000-0000-000000000000';
const limitMax = 1000;

function invalid(path: string, message: string): WeirError {
  return faultError('invalid_request', { path, code: 'invalid_value', message });
}

/** How many records a page has at most. @throws WeirError `invalid_request` */
export function parseLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
    throw invalid('/limit', `Ask for 1 to ${limitMax} records at a time.`);
  }
  return limit;
}

/** How many records to read for a page of at most `limit`. @throws WeirError `invalid_request` */
export function parseReadMax(limit: number): number {
  return parseLimit(limit) + 1;
}

/** Checks what a list is asked for. @throws WeirError `invalid_request` */
export function parsePage({ limit, after }: PageRequest): Page {
  if (after !== '' && !isId(after)) throw invalid('/after', 'Give the id that the page before ended with.');
  return { after: after === '' ? beforeAllIds : after, readMax: parseReadMax(limit) };
}

/** What records of a page weigh, in any unit, where they may be large. */
export interface PageWeight<T> {
  readonly of: (record: T) => number;
  /** A page ends before the record with which it would be heavier, unless that is its first. */
  readonly max: number;
}

/** How many of the first records a page may have. */
function countWithin<T>(records: readonly T[], { of, max }: PageWeight<T>): number {
  let weight = 0;
  const end = records.findIndex((record, index) => {
    weight += of(record);
    return weight > max && index > 0;
  });
  return end === -1 ? records.length : end;
}

/**
 * The records of a page, and where the next one begins.
 *
 * @param read - as many as there are, up to `readMax`
 * @param positionOf - what the next page is asked for after
 * @param weight - where few records may make a page too large
 */
export function cutPage<T>(
  read: readonly T[],
  readMax: number,
  positionOf: (record: T) => string,
  weight: PageWeight<T> = { of: () => 0, max: 0 },
): { readonly records: readonly T[]; readonly nextAfter: string } {
  const records = read.slice(0, Math.min(readMax - 1, countWithin(read, weight)));
  if (records.length === read.length) return { records, nextAfter: '' };
  const last = records.at(-1);
  return { records, nextAfter: last === undefined ? '' : positionOf(last) };
}
