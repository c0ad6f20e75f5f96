import { formatInstant } from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneClock } from './zone-clock.js';

const localUs = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`) * 1000;
const shown = (us: number): string => formatInstant(us).replace(':00.000Z', 'Z');

/** The instant; `earlier | later` of a time that occurs twice; `never, later` of one that does not occur. */
function read(zone: string, text: string): string {
  const clock = zoneClock(zone);
  const us = clock.toUtc(localUs(text));
  if (!Number.isNaN(us)) return shown(us);
  return clock.isTwice ? `${shown(clock.earlierUs)} | ${shown(clock.laterUs)}` : `never, ${shown(clock.laterUs)}`;
}

test.each([
  ['UTC', '2023-10-29 02:00', '2023-10-29T02:00Z'],
  ['+01:00', '2023-10-29 02:00', '2023-10-29T01:00Z'],
  ['-09:30', '2023-10-29 02:00', '2023-10-29T11:30Z'],
  ['Europe/Berlin', '2023-10-29 01:59', '2023-10-28T23:59Z'],
  ['Europe/Berlin', '2023-10-29 02:00', '2023-10-29T00:00Z | 2023-10-29T01:00Z'],
  ['Europe/Berlin', '2023-10-29 02:59', '2023-10-29T00:59Z | 2023-10-29T01:59Z'],
  ['Europe/Berlin', '2023-10-29 03:00', '2023-10-29T02:00Z'],
  ['Europe/Berlin', '2025-03-30 01:59', '2025-03-30T00:59Z'],
  ['Europe/Berlin', '2025-03-30 02:00', 'never, 2025-03-30T01:00Z'],
  ['Europe/Berlin', '2025-03-30 02:59', 'never, 2025-03-30T01:59Z'],
  ['Europe/Berlin', '2025-03-30 03:00', '2025-03-30T01:00Z'],
  ['Australia/Lord_Howe', '2024-04-07 01:45', '2024-04-06T14:45Z | 2024-04-06T15:15Z'],
  ['Australia/Lord_Howe', '2024-10-06 02:15', 'never, 2024-10-05T15:45Z'],
  ['Pacific/Apia', '2011-12-30 12:00', 'never, 2011-12-30T22:00Z'],
  ['Pacific/Apia', '2011-12-31 00:00', '2011-12-30T10:00Z'],
  ['America/Santiago', '2024-04-06 23:30', '2024-04-07T02:30Z | 2024-04-07T03:30Z'],
  ['America/Santiago', '2024-09-08 00:30', 'never, 2024-09-08T04:30Z'],
  ['Africa/Casablanca', '2024-03-10 02:30', '2024-03-10T01:30Z | 2024-03-10T02:30Z'],
  ['Asia/Kathmandu', '2024-06-01 00:00', '2024-05-31T18:15Z'],
  ['America/New_York', '2024-12-31 23:59', '2025-01-01T04:59Z'],
])('in %s, %s is %s', (zone, text, result) => {
  expect(read(zone, text)).toBe(result);
});

describe('a clock agrees with the runtime', () => {
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/St_Johns',
    'Asia/Tehran',
    'Pacific/Apia',
    'Africa/Cairo',
    'Antarctica/Troll',
  );
  const minute = fc.integer({ min: Date.UTC(1890, 0, 1) / 60_000, max: Date.UTC(2060, 0, 1) / 60_000 });
  const formats = new Map<string, Intl.DateTimeFormat>();

  function localMs(timeZone: string, ms: number): number {
    const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options);
    formats.set(timeZone, format);
    return Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
  }

  test('at whatever minute, one instant after the other or not', () => {
    const clocks = new Map<string, ReturnType<typeof zoneClock>>();
    fc.assert(
      fc.property(zone, fc.array(minute, { minLength: 1, maxLength: 4 }), (name, minutes) => {
        const clock = clocks.get(name) ?? zoneClock(name);
        clocks.set(name, clock);
        for (const ms of minutes.map((at) => at * 60_000)) {
          const us = clock.toUtc(localMs(name, ms) * 1000);
          expect(Number.isNaN(us) ? [clock.earlierUs, clock.laterUs] : [us]).toContain(ms * 1000);
        }
      }),
      { numRuns: 300 },
    );
  });
});
