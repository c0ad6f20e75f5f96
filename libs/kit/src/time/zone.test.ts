import { expect, test } from 'vitest';
import { daysFromCivil, formatInstant } from './index.js';
import { zoneOf } from './zone.js';

const start = (name: string, year: number, month: number, day: number): string =>
  formatInstant(zoneOf(name).startOfDay(daysFromCivil(year, month, day))).replace('.000Z', 'Z');

test.each<[string, string, [number, number, number], string]>([
  ['an ordinary day', 'Europe/London', [2026, 7, 1], '2026-06-30T23:00:00Z'],
  ['the first day of a year', 'Asia/Kolkata', [2026, 1, 1], '2025-12-31T18:30:00Z'],
  ['midnight skipped', 'America/Sao_Paulo', [2018, 11, 4], '2018-11-04T03:00:00Z'],
  ['midnight twice', 'America/Havana', [2025, 11, 2], '2025-11-02T04:00:00Z'],
  ['a minute past midnight turned back', 'America/St_Johns', [2006, 10, 29], '2006-10-29T02:30:00Z'],
  ['and the day after it', 'America/St_Johns', [2006, 10, 30], '2006-10-30T03:30:00Z'],
  ['a date that does not exist', 'Pacific/Apia', [2011, 12, 30], '2011-12-30T10:00:00Z'],
  ['the date after it', 'Pacific/Apia', [2011, 12, 31], '2011-12-30T10:00:00Z'],
  ['a date that came twice', 'America/Juneau', [1867, 10, 18], '1867-10-17T08:57:41Z'],
  ['local mean time, to the second', 'Africa/Monrovia', [1960, 1, 1], '1960-01-01T00:44:30Z'],
  ['half an hour of summer time', 'Australia/Lord_Howe', [2026, 4, 6], '2026-04-05T13:30:00Z'],
])('%s', (_, name, [year, month, day], instant) => {
  expect(start(name, year, month, day)).toBe(instant);
});

test('local dates never begin before the one before them, and hold the instants between', () => {
  for (const name of ['Europe/London', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Freetown']) {
    const zone = zoneOf(name);
    for (const year of [1700, 1939, 1987, 2011, 2249]) {
      const first = daysFromCivil(year, 1, 1);
      for (let day = first; day < first + 366; day++) {
        const [from, until] = [zone.startOfDay(day), zone.startOfDay(day + 1)];
        expect(until).toBeGreaterThanOrEqual(from);
        if (until > from) expect(zone.dayAt(from)).toBe(day);
        if (until > from) expect(zone.dayAt(until - 1)).toBeLessThanOrEqual(day);
      }
    }
  }
});

test('two changes within a week are both seen', () => {
  const at = (text: string) => zoneOf('America/Boa_Vista').spanAt(Date.parse(text) * 1000).offsetUs / 60_000_000;
  expect(['2000-10-08T00:00Z', '2000-10-10T00:00Z', '2000-10-16T00:00Z'].map(at)).toEqual([-240, -180, -240]);
});
