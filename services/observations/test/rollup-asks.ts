import { parseInstant } from '@weir/kit/time';
import fc from 'fast-check';
import type { Ask, Observation } from './aggregate-model.js';

export const minuteUs = 60_000_000;
export const hourUs = 60 * minuteUs;
export const dayUs = 24 * hourUs;
/** The data of the test ends here. */
export const endUs = parseInstant('2026-03-31T00:00:00Z') ?? 0;
/** The data of the test starts here. */
export const startUs = endUs - 6 * dayUs;

const functions = [
  'mean',
  'min',
  'max',
  'sum',
  'count',
  'first',
  'last',
  'range',
  'time_weighted_mean',
  'min_at',
  'max_at',
];

/** What is asked of rollups: around their data, in zones with odd offsets, by each interval and set of functions. */
export const asks = fc.record({
  interval: fc.constantFrom<Pick<Ask, 'unit' | 'count'>>(
    { unit: 'us', count: 15 * minuteUs },
    { unit: 'us', count: 45 * minuteUs },
    { unit: 'us', count: hourUs },
    { unit: 'us', count: 5 * hourUs },
    { unit: 'day', count: 1 },
    { unit: 'month', count: 1 },
  ),
  timezone: fc.constantFrom('UTC', 'Europe/London', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
  fromUs: fc.integer({ min: startUs - dayUs, max: endUs - hourUs }),
  lengthUs: fc.integer({ min: hourUs, max: 8 * dayUs }),
  functions: fc.oneof(
    fc.constant(['mean', 'min', 'max', 'count', 'sum', 'range']),
    fc.constant(functions),
    fc.shuffledSubarray(functions),
  ),
});

/** What is written between: runs of values of the three variables, some at the edge of doubles. */
export const writes = fc.array(
  fc
    .record({
      key: fc.constantFrom(1, 1, 2, 3),
      minute: fc.integer({ min: Math.floor((startUs - dayUs) / minuteUs), max: Math.floor(endUs / minuteUs) }),
      count: fc.integer({ min: 1, max: 20 }),
      value: fc.integer({ min: -500, max: 500 }),
      isLarge: fc.boolean(),
    })
    .map(({ key, minute, count, value, isLarge }) => ({
      key,
      rows: Array.from({ length: count }, (_, i): Observation => {
        return [(minute + i) * minuteUs, key === 2 && isLarge ? 1.5e308 : value + i];
      }),
    })),
  { maxLength: 3 },
);
