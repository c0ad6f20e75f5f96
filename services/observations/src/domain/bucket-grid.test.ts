import {
  type Interval,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInstant,
  parseInterval,
} from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { autoInterval } from './auto-interval.js';
import { bucketEdges, bucketGrid } from './bucket-grid.js';

const us = (text: string): number => parseInstant(text) ?? Number.NaN;
function interval(text: string): Interval {
  const parsed = parseInterval(text);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.interval;
}
const starts = (text: string, zone: string, from: string, until: string): string[] =>
  Array.from(bucketEdges(bucketGrid(interval(text), zone), us(from), us(until), 100), (edge) =>
    new Date(edge / 1000).toISOString().replace(':00.000Z', 'Z'),
  );

describe('buckets', () => {
  test.each<[string, string, string, string, string, string[]]>([
    [
      'a day of 23 hours',
      'P1D',
      'Europe/London',
      '2026-03-29T05:00:00Z',
      '2026-03-29T23:30:00Z',
      ['2026-03-29T00:00Z', '2026-03-29T23:00Z', '2026-03-30T23:00Z'],
    ],
    [
      'a day of 25 hours',
      'P1D',
      'Europe/London',
      '2026-10-25T12:00:00Z',
      '2026-10-25T13:00:00Z',
      ['2026-10-24T23:00Z', '2026-10-26T00:00Z'],
    ],
    [
      'a day that does not exist',
      'P1D',
      'Pacific/Apia',
      '2011-12-29T10:00:00Z',
      '2011-12-31T10:00:00Z',
      ['2011-12-29T10:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
    ],
    [
      'ISO weeks',
      'P1W',
      'UTC',
      '2026-01-01T00:00:00Z',
      '2026-01-06T00:00:00Z',
      ['2025-12-29T00:00Z', '2026-01-05T00:00Z', '2026-01-12T00:00Z'],
    ],
    [
      'months',
      'P1M',
      'America/St_Johns',
      '2026-02-14T00:00:00Z',
      '2026-03-14T00:00:00Z',
      ['2026-02-01T03:30Z', '2026-03-01T03:30Z', '2026-04-01T02:30Z'],
    ],
    [
      'quarters',
      'P3M',
      'UTC',
      '2026-05-05T00:00:00Z',
      '2026-07-05T00:00:00Z',
      ['2026-04-01T00:00Z', '2026-07-01T00:00Z', '2026-10-01T00:00Z'],
    ],
    [
      'decades',
      'P10Y',
      'UTC',
      '1999-05-05T00:00:00Z',
      '2000-07-05T00:00:00Z',
      ['1990-01-01T00:00Z', '2000-01-01T00:00Z', '2010-01-01T00:00Z'],
    ],
    [
      'hours across a change of the clock',
      'PT6H',
      'Europe/London',
      '2026-03-29T00:00:00Z',
      '2026-03-29T12:00:00Z',
      ['2026-03-29T00:00Z', '2026-03-29T06:00Z', '2026-03-29T12:00Z'],
    ],
    [
      'hours from midnight in summer time',
      'PT6H',
      'Australia/Lord_Howe',
      '2026-06-01T00:00:00Z',
      '2026-06-01T03:00:00Z',
      ['2026-05-31T19:00Z', '2026-06-01T01:00Z', '2026-06-01T07:00Z'],
    ],
    [
      'before 2000',
      'PT7H',
      'UTC',
      '1999-12-31T18:00:00Z',
      '2000-01-01T00:00:00Z',
      ['1999-12-31T17:00Z', '2000-01-01T00:00Z'],
    ],
  ])('%s', (_, text, zone, from, until, expected) => expect(starts(text, zone, from, until)).toEqual(expected));

  test('cover all of time, each beginning where the one before ends', () => {
    const grid = fc.record({
      text: fc.constantFrom(
        'PT0.000007S',
        'PT1S',
        'PT17M',
        'PT36H',
        'PT87660H',
        'P1D',
        'P3D',
        'P1W',
        'P1M',
        'P5M',
        'P1Y',
        'P50Y',
      ),
      zone: fc.constantFrom('UTC', 'Europe/London', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'),
      at: fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs - 1 }),
    });
    fc.assert(
      fc.property(grid, ({ text, zone, at }) => {
        const { floor, next } = bucketGrid(interval(text), zone);
        const start = floor(at);
        const end = next(start);
        expect(start).toBeLessThanOrEqual(at);
        expect(end).toBeGreaterThan(at);
        expect([floor(start), floor(end - 1), floor(end)]).toEqual([start, start, end]);
      }),
      { numRuns: 300, seed: 6 },
    );
  });
});

describe('auto', () => {
  test.each<[string, string, number, string]>([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z', 600, 'PT1S'],
    ['2026-01-01T00:00:00Z', '2026-04-26T17:46:40Z', 1000, 'PT3H'],
    ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 365, 'P1D'],
    ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 364, 'P1W'],
    ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 11, 'P3M'],
    ['1700-01-01T00:00:00Z', '2250-01-01T00:00:00Z', 2, 'P500Y'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z', 2, 'PT0.000001S'],
  ])('%s to %s in %i buckets', (from, until, pointsMax, expected) => {
    expect(autoInterval(us(from), us(until), pointsMax, 'UTC')).toEqual(interval(expected));
  });

  test('always finds one', () => {
    const instant = fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs });
    fc.assert(
      fc.property(instant, instant, fc.integer({ min: 2, max: 50 }), (a, b, pointsMax) => {
        fc.pre(a !== b);
        const found = autoInterval(Math.min(a, b), Math.max(a, b), pointsMax, 'Pacific/Apia');
        const edges = bucketEdges(bucketGrid(found, 'Pacific/Apia'), Math.min(a, b), Math.max(a, b), 100);
        expect(edges.length - 1).toBeLessThanOrEqual(pointsMax);
      }),
      { numRuns: 100, seed: 6 },
    );
  });
});
