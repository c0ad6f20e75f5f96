import { expect, test } from 'vitest';
import { formatInterval, parseInterval } from './interval.js';

test.each<[string, string, number]>([
  ['P1Y', 'month', 12],
  ['P1Y6M', 'month', 18],
  ['P1M', 'month', 1],
  ['P1W', 'week', 1],
  ['P7D', 'day', 7],
  ['P1W2D', 'day', 9],
  ['PT15M', 'microsecond', 900_000_000],
  ['PT1H30M', 'microsecond', 5_400_000_000],
  ['PT90S', 'microsecond', 90_000_000],
  ['PT0.5S', 'microsecond', 500_000],
  ['PT0.000001S', 'microsecond', 1],
  ['PT876600H', 'microsecond', 876_600 * 3_600_000_000],
])('%s', (text, unit, count) => expect(parseInterval(text)).toEqual({ interval: { unit, count } }));

test.each([
  ['P1DT1H', 'mix'],
  ['P1M1D', 'mix'],
  ['P1Y1W', 'mix'],
  ['P0DT1H', 'mix'],
  ['P0D', 'more than nothing'],
  ['PT0S', 'more than nothing'],
  ['P1001Y', 'at most'],
  ['PT876601H', 'at most'],
  ['', 'ISO 8601'],
  ['P', 'ISO 8601'],
  ['PT', 'ISO 8601'],
  ['P1DT', 'ISO 8601'],
  ['p1d', 'ISO 8601'],
  ['P-1D', 'ISO 8601'],
  ['P1.5D', 'whole numbers'],
  ['PT1.5H', 'whole numbers'],
  ['PT1,5M', 'whole numbers'],
  ['PT0,5S', 'a point'],
  ['PT0.0000001S', 'one to six digits'],
  ['PT99999999999999H', 'a hundred years of hours'],
  ['P9999999999Y', 'a thousand years'],
  ['P1.5', 'ISO 8601'],
  ['1D', 'ISO 8601'],
  ['PT1M1H', 'ISO 8601'],
  ['auto', 'ISO 8601'],
])('%s is refused', (text, fault) => {
  expect(parseInterval(text)).toEqual({ fault: expect.stringContaining(fault) });
});

test.each(['P1Y', 'P18M', 'P2W', 'P10D', 'PT36H', 'PT15M', 'PT30S', 'PT0.5S', 'PT1.000001S'])(
  '%s is written',
  (text) => {
    const parsed = parseInterval(text);
    expect('interval' in parsed && formatInterval(parsed.interval)).toBe(text);
  },
);
