import { expect, test } from 'vitest';
import { isTimezone } from './timezone.js';

test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Europe/Kyiv', 'Etc/GMT+5', 'EST'])(
  '%s is a time zone',
  (name) => {
    expect(isTimezone(name)).toBe(true);
  },
);

test.each([
  '',
  'utc',
  'europe/berlin',
  'Europe/berlin',
  'Europe/Nowhere',
  '+01:00',
  'Z',
  'Europe/Berlin ',
  `A${'/B'.repeat(9)}`,
])('%j is none', (name) => {
  expect(isTimezone(name)).toBe(false);
});
