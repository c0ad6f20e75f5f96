import { newId, parseRunId, runIds } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { checkReads } from './check-reads.js';
import type { BucketsRead, History, Reading, RowsRead, Sent, SeriesRead } from './history.js';

const startUs = Date.UTC(2026, 0, 1) * 1000;
const atUs = (second: number): number => startUs + second * 1_000_000;
const readings = (from: number, ...values: number[]): Reading[] =>
  values.map((value, i) => ({ atUs: atUs(from + i), value }));

const runs = [3, 2, 1].map((count) => {
  const { batchId } = parseRunId(newId());
  return Array.from({ length: count }, (_, index) => runIds(batchId)(index));
});
const sentAt = (sentMs: number, at: number, list: Reading[]): Sent => ({
  key: `k${at}`,
  device: 'd',
  readings: list,
  answers: [
    { sentMs, endedMs: sentMs + 1, status: 503 },
    { sentMs: sentMs + 2, endedMs: sentMs + 3, status: 200, runs: runs[at] ?? [] },
  ],
});
/** 1 2 3, of which the last is corrected to 30, with a 40 after it; and a 50 that nobody knows to be stored. */
const sent = [sentAt(0, 0, readings(0, 1, 2, 3)), sentAt(20, 1, readings(2, 30, 40)), sentAt(40, 2, readings(4, 50))];
const seen = (at: number, endedMs: number) =>
  (runs[at] ?? []).map((runId) => ({ runId, sentMs: endedMs - 1, endedMs, state: 'succeeded' }));
const sightings = [...seen(0, 10), ...seen(1, 30)];

const asked = { device: 'd', fromUs: atUs(0), toUs: atUs(60), status: 200 };
const rows = (values: readonly (readonly [second: number, value: number])[]) => ({
  columns: { atUs: values.map(([second]) => atUs(second)), values: values.map(([, value]) => value) },
});
const page = (sentMs: number, endedMs: number, more: Partial<RowsRead>): RowsRead => ({
  ...asked,
  what: 'page',
  sentMs,
  endedMs,
  ...more,
});
const buckets = (sentMs: number, endedMs: number, more: Partial<BucketsRead>): BucketsRead => ({
  ...asked,
  what: 'buckets',
  lengthUs: 2_000_000,
  sentMs,
  endedMs,
  ...more,
});
const columns = (...of: (readonly [second: number, count: number, min: number, max: number])[]) => ({
  columns: {
    atUs: of.map(([second]) => atUs(second)),
    count: of.map(([, count]) => count),
    min: of.map(([, , min]) => min),
    max: of.map(([, , , max]) => max),
  },
});
const faultsOf = (...reads: SeriesRead[]): string[] => checkReads({ sent, sightings, reads } satisfies History);

const all = [
  [0, 1],
  [1, 2],
  [2, 30],
  [3, 40],
] as const;

test.each<[string, SeriesRead]>([
  ['all that is stored', page(31, 32, rows(all))],
  ['what may or may not be stored yet', page(41, 42, rows([...all, [4, 50]]))],
  ['nothing, before anything is known', page(1, 2, rows([]))],
  ['a value that is about to be corrected', page(21, 22, rows([...all.slice(0, 2), [2, 3]]))],
  ['a correction that is not known yet', page(21, 22, rows(all))],
  ['a part of what is being stored', page(21, 22, rows(all.slice(0, 3)))],
  ['the first of several pages', page(31, 32, { ...rows(all.slice(0, 2)), goesOn: true })],
  ['a range', page(31, 32, { ...rows(all.slice(1, 3)), fromUs: atUs(1), toUs: atUs(3) })],
  ['an export', page(31, 32, { ...rows(all), what: 'export' })],
  ['no answer', page(31, 32, { status: 0, failure: 'broken' })],
  ['a refusal', page(31, 32, { status: 503, code: 'dependency_unavailable', retryAfterS: 1 })],
  ['a limit', page(31, 32, { status: 429, code: 'rate_limited', retryAfterS: 1 })],
  ['buckets', buckets(31, 32, columns([0, 2, 1, 2], [2, 2, 30, 40]))],
  ['buckets of what is being stored', buckets(21, 22, columns([0, 2, 1, 2], [2, 1, 3, 3]))],
  ['a page of buckets', buckets(31, 32, { ...columns([0, 2, 1, 2]), goesOn: true })],
])('%s is as it should be', (_, read) => {
  expect(faultsOf(read)).toEqual([]);
});

test.each<[string, SeriesRead, RegExp]>([
  ['a value that nobody sent', page(31, 32, rows([...all.slice(0, 3), [3, 41]])), /has 41 at .*, where it may be 40$/],
  ['an instant that nobody sent', page(31, 32, rows([...all, [9, 1]])), /where it may be nothing$/],
  ['a value from the future', page(31, 32, rows([...all, [4, 50]])), /has 50 at .*, where it may be nothing$/],
  ['a value of another instant', page(31, 32, rows([[0, 2], ...all.slice(1)])), /has 2 at .*, where it may be 1$/],
  [
    'a value after its correction was stored',
    page(31, 32, rows([...all.slice(0, 2), [2, 3], [3, 40]])),
    /has 3 at .*, where it may be 30$/,
  ],
  ['one that lacks what was stored', page(31, 32, rows(all.slice(0, 3))), /lacks 2026-01-01T00:00:03/],
  ['one that is empty', page(31, 32, rows([])), /lacks 2026-01-01T00:00:00/],
  [
    'a page with a hole that goes on',
    page(31, 32, { ...rows([[0, 1], ...all.slice(2)]), goesOn: true }),
    /lacks .*:01/,
  ],
  ['a page of nothing that goes on', page(31, 32, { ...rows([]), goesOn: true }), /has nothing and goes on$/],
  ['an instant twice', page(31, 32, rows([...all.slice(0, 2), ...all.slice(1)])), /has .*:01.* after .*:01/],
  ['what does not ascend', page(31, 32, rows(all.toReversed())), /has .*:02.* after .*:03/],
  ['what is before its range', page(31, 32, { ...rows(all), fromUs: atUs(1) }), /which is not in its range$/],
  ['what is at the end of its range', page(31, 32, { ...rows(all), toUs: atUs(3) }), /which is not in its range$/],
  [
    'a value too few',
    page(31, 32, { columns: { atUs: rows(all).columns.atUs, values: [1] } }),
    /has columns of other lengths$/,
  ],
  ['a 200 that is none', page(31, 32, {}), /is a 200 that cannot be read$/],
  ['a short export', page(31, 32, { ...rows(all.slice(0, 3)), what: 'export' }), /^I6: export of d .* lacks/],
  ['an error', page(31, 32, { status: 500, code: 'internal' }), /answered with 500 internal/],
  ['a refusal for ever', page(31, 32, { status: 503, code: 'dependency_unavailable' }), /come again after 0 s$/],
  ['a 404', page(31, 32, { status: 404, code: 'not_found' }), /answered with 404 not_found/],
  ['a code of another status', page(31, 32, { status: 503, code: 'rate_limited', retryAfterS: 1 }), /503 rate_limited/],
  ['a bucket that is not there', buckets(31, 32, columns([0, 2, 1, 2])), /lacks the bucket .*:02/],
  [
    'a bucket of nothing',
    buckets(31, 32, columns([0, 2, 1, 2], [2, 2, 30, 40], [8, 1, 1, 1])),
    /has the bucket .*:08.* of nothing$/,
  ],
  ['a count too low', buckets(31, 32, columns([0, 1, 1, 1], [2, 2, 30, 40])), /counts 1 in .*, of 2 to 2$/],
  ['a count too high', buckets(31, 32, columns([0, 3, 1, 2], [2, 2, 30, 40])), /counts 3 in .*, of 2 to 2$/],
  [
    'an extreme that nobody sent',
    buckets(31, 32, columns([0, 2, 0, 2], [2, 2, 30, 40])),
    /has 0 to 2 in .* cannot be$/,
  ],
  ['an extreme that was corrected', buckets(31, 32, columns([0, 2, 1, 2], [2, 2, 3, 40])), /has 3 to 40 in/],
  ['extremes that lack one', buckets(31, 32, columns([0, 2, 2, 2], [2, 2, 30, 40])), /has 2 to 2 in .* cannot be$/],
  ['buckets twice', buckets(31, 32, columns([0, 2, 1, 2], [0, 2, 1, 2], [2, 2, 30, 40])), /has .*:00.* after .*:00/],
])('J12: %s is told', (_, read, tells) => {
  expect(faultsOf(read)).toContainEqual(expect.stringMatching(tells));
});
