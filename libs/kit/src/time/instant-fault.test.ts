import { expect, test } from 'vitest';
import { parseInstant } from './instant.js';
import { instantFault } from './instant-fault.js';

test.each([
  ['2023-13-01T00:00:00Z', 'There is no month 13; give 01 to 12.'],
  ['2023-00-01T00:00:00Z', 'There is no month 00; give 01 to 12.'],
  ['2023-02-29T00:00:00Z', '2023-02 has no day 29; give 01 to 28.'],
  ['2024-02-30T00:00:00+01:00', '2024-02 has no day 30; give 01 to 29.'],
  ['2024-01-00t00:00:00z', '2024-01 has no day 00; give 01 to 31.'],
  ['2024-01-01T24:00:00Z', 'There is no hour 24; midnight is 00:00:00 of the day that begins then.'],
  ['2024-01-01T25:00:00Z', 'There is no hour 25; give 00 to 23.'],
  ['2024-01-01T00:60:00Z', 'There is no minute 60; give 00 to 59.'],
  ['2024-01-01T00:00:61Z', 'There is no second 61; give 00 to 59.'],
  ['2016-12-31T22:59:60.5Z', 'Second 60 is a leap second, which is at 23:59:60 in UTC only; give 00 to 59.'],
  ['2024-01-01T00:00:00+24:00', 'There is no such offset; give -23:59 to +23:59, such as +02:00.'],
  ['2024-01-01T00:00:00-01:60', 'There is no such offset; give -23:59 to +23:59, such as +02:00.'],
])('%s: %s', (text, message) => {
  expect(parseInstant(text)).toBeUndefined();
  expect(instantFault(text)).toBe(message);
});

test.each(['2024-01-01T00:00:00', '2024-01-01 00:00', '2024-01-01T00:00:00.5'])('%s has no zone', (text) => {
  expect(instantFault(text)).toMatch(/^The time has no zone: end it with Z/);
});

test.each(['', 'yesterday', '2024-01-01', '2024-01-01T00:00Z', '2024-01-01T00:00:00+0100', '2024-01-01T00:00:00.Z'])(
  '%j is not written as an instant',
  (text) => {
    expect(instantFault(text)).toMatch(/^Give an RFC 3339 date-time with Z or an offset/);
  },
);
