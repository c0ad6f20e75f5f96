import { expect, test } from 'vitest';
import { isTimezone } from './timezone.js';

test.each([
  'UTC',
  'Europe/Berlin',
  'America/Argentina/Ushuaia',
  'Europe/Kyiv',
  'US/Eastern',
  'Etc/GMT+5',
  'Etc/UTC',
  'GMT',
  'EST',
  'PST8PDT',
])('%s is a time zone', (name) => {
  expect(isTimezone(name)).toBe(true);
});

test('every zone of the runtime is one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !isTimezone(name))).toEqual([]);
});

test.each([
  '',
  'utc',
  'europe/berlin',
  'Europe/berlin',
  'EUROPE/BERLIN',
  'EUROPE/KYIV',
  'US/EASTERN',
  'US/eastern',
  'ETC/UTC',
  'Gmt',
  'Factory',
  'Europe/Nowhere',
  '+01:00',
  'Z',
  'Europe/Berlin ',
  `A${'/B'.repeat(9)}`,
])('%j is none', (name) => {
  expect(isTimezone(name)).toBe(false);
});
