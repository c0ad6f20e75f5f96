import { addIssues } from '@weir/kit/faults';
import { formatInstant, parseInstant } from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeRange } from './time-range.js';

const parse = (json: unknown) => timeRange.safeParse(json);

describe('timeRange', () => {
  test.each([1, 86_400, 316_224_000])('takes the last %i seconds', (seconds) => {
    expect(parse({ last_seconds: seconds }).data).toEqual({ last_seconds: seconds });
  });

  test('brings instants to their public form', () => {
    const range = { start: '2026-01-31T12:00:00+01:00', end: '2026-02-01T00:00:00.1234567Z' };
    expect(parse(range).data).toEqual({ start: '2026-01-31T11:00:00.000Z', end: '2026-02-01T00:00:00.123456Z' });
  });

  test('keeps bounds within the time of observations', () => {
    const range = { start: '0001-01-01T00:00:00Z', end: '9999-12-31T23:59:59Z' };
    expect(parse(range).data).toEqual({ start: '1700-01-01T00:00:00.000Z', end: '2250-01-01T00:00:00.000Z' });
    expect(parse({ start: '1500-01-01T00:00:00Z', end: '1600-01-01T00:00:00Z' }).success).toBe(false);
  });

  const now = '2026-01-31T12:00:00Z';
  test.each([
    [{}],
    [{ last_seconds: 0 }],
    [{ last_seconds: 1.5 }],
    [{ last_seconds: 316_224_001 }],
    [{ last_seconds: '60' }],
    [{ last_seconds: 60, start: now }],
    [{ start: now }],
    [{ start: now, end: now }],
    [{ start: now, end: '2026-01-31T12:59:59+01:00' }],
    [{ start: '2026-01-31T12:00:00', end: '2026-02-01T00:00:00Z' }],
    [{ start: '2026-01-31', end: '2026-02-01T00:00:00Z' }],
    [{ start: now, end: '2026-02-01T00:00:00Z', timezone: 'UTC' }],
  ])('refuses %j', (range) => {
    expect(parse(range).success).toBe(false);
  });

  const invalid = '2026-01-31';
  test.each<[object, string[]]>([
    [{ start: invalid, end: invalid }, ['/start invalid_instant', '/end invalid_instant']],
    [{ start: now, end: invalid }, ['/end invalid_instant']],
    [{ start: now, end: now }, ['/start invalid_range']],
    [{ start: now }, ['/end required']],
    [{ last_seconds: 60, start: now }, ['/start unknown_field']],
  ])('tells what is wrong with %j', (range, expected) => {
    const told: string[] = [];
    const issues = timeRange.safeParse(range, { reportInput: true }).error?.issues ?? [];
    addIssues(issues, { add: (path, code) => told.push(`${path} ${code}`) });
    expect(told).toEqual(expected);
  });

  test('tells which day there is not', () => {
    const messages: string[] = [];
    const issues = timeRange.safeParse({ start: '2026-02-29T00:00:00Z', end: now }).error?.issues ?? [];
    addIssues(issues, { add: (_path, _code, message) => messages.push(message) });
    expect(messages).toEqual(['2026-02 has no day 29; give 01 to 28.']);
  });

  test('is the same again, and means the same', () => {
    const instant = fc.integer({ min: Date.UTC(1700, 0, 2) * 1000, max: Date.UTC(2249, 11, 31) * 1000 });
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        fc.pre(a !== b);
        const [startUs, endUs] = a < b ? [a, b] : [b, a];
        const given = { start: formatInstant(startUs).replace('Z', '+00:00'), end: formatInstant(endUs) };
        const once = timeRange.parse(given);
        expect(once).toEqual({ start: formatInstant(startUs), end: formatInstant(endUs) });
        expect(timeRange.parse(once)).toEqual(once);
        expect('start' in once && parseInstant(once.start)).toBe(startUs);
      }),
    );
  });
});
