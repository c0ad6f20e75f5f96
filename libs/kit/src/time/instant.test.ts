import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, observationInstantEndUs, observationInstantMinUs, parseInstant } from './instant.js';

describe('parseInstant', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['2023-03-04T05:00:00-07:00', Date.UTC(2023, 2, 4, 12) * 1000],
    ['2023-03-04t05:00:00z', Date.UTC(2023, 2, 4, 5) * 1000],
    ['2023-03-04 05:00:00.5+05:30', Date.UTC(2023, 2, 3, 23, 30) * 1000 + 500_000],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
    ['1700-01-01T00:00:00Z', observationInstantMinUs],
    ['2250-01-01T00:00:00Z', observationInstantEndUs],
  ])('%s', (text, us) => expect(parseInstant(text)).toBe(us));

  test('truncates digits past the microsecond', () => {
    expect(parseInstant('1970-01-01T00:00:00.1234569Z')).toBe(123_456);
    expect(parseInstant('1969-12-31T23:59:59.9999999Z')).toBe(-1);
  });

  test('a leap second becomes the next second, only where UTC reads 23:59', () => {
    const next = Date.UTC(2017, 0, 1) * 1000;
    expect(parseInstant('2016-12-31T23:59:60Z')).toBe(next);
    expect(parseInstant('2017-01-01T00:59:60+01:00')).toBe(next);
    expect(parseInstant('2016-12-31T22:59:60Z')).toBeUndefined();
  });

  test.each([
    '2023-03-04T05:00:00',
    '2023-03-04',
    '2023-02-29T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-00-01T00:00:00Z',
    '2023-01-00T00:00:00Z',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:60:00Z',
    '2023-01-01T00:00:61Z',
    '2023-01-01T00:00:00.Z',
    '2023-01-01T00:00:00+0100',
    '2023-01-01T00:00:00+24:00',
    '2023-01-01T00:00:00Zx',
    ' 2023-01-01T00:00:00Z',
    '+023-01-01T00:00:00Z',
    '2023-01-01T00:00:00ZZ',
    '٢٠٢٣-01-01T00:00:00Z',
    '',
  ])('refuses %j', (text) => expect(parseInstant(text)).toBeUndefined());

  test('reads what formatInstant writes, and agrees with Date', () => {
    fc.assert(
      fc.property(fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs }), (us) => {
        expect(parseInstant(formatInstant(us))).toBe(us);
        expect(Date.parse(formatInstant(us))).toBe(Math.floor(us / 1000));
      }),
    );
  });
});

test('formatInstant writes three digits, or six when they carry something', () => {
  expect(formatInstant(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(formatInstant(1_500_000)).toBe('1970-01-01T00:00:01.500Z');
  expect(formatInstant(1)).toBe('1970-01-01T00:00:00.000001Z');
  expect(formatInstant(-1)).toBe('1969-12-31T23:59:59.999999Z');
});

test.each([
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.'],
  ['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.'],
  ['0000-01-01T00:00:00+23:59', '0000-01-01T00:00:00.'],
])('formatInstant writes %s with a year of four digits', (text, start) => {
  const written = formatInstant(parseInstant(text) ?? Number.NaN);
  expect(written).toMatch(/^\d{4}-.{15}\d{3}(\d{3})?Z$/);
  expect(written.slice(0, 20)).toBe(start);
});

test('formatInstant keeps its form for whatever a double can be', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double({ noNaN: true }).map(Math.round), fc.maxSafeInteger()), (us) => {
      expect(formatInstant(us)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(\d{3})?Z$/);
    }),
  );
  expect(formatInstant(parseInstant('6484-06-15T12:34:56.958990Z') ?? 0)).toMatch(/T12:34:56\.\d{3}(\d{3})?Z$/);
});
