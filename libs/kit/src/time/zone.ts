import { dayUs } from './instant.js';

/** A stretch of time in which a zone keeps one offset. */
export interface ZoneSpan {
  /** Half-open, microseconds since 1970. A long stretch comes in pieces of a year. */
  readonly fromUs: number;
  readonly untilUs: number;
  /** Local time minus UTC. */
  readonly offsetUs: number;
}

const secondMs = 1000;
/**
 * Offsets are looked up so far apart. Nowhere in the IANA database do two changes lie closer together
 * (the closest: Freetown in September 1939, four days).
 */
const stepMs = 3 * 86_400_000;
/** Further from UTC than any local time ever was (Manila until 1844, Alaska until 1867). */
const offsetMaxUs = 16 * 3_600_000_000;

const offsetShape = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * The calendar of an IANA time zone, by the runtime's own data (`Intl`), which tells an offset to the
 * second. The changes of a year are found once and kept; after that a date costs no call of `Intl`.
 */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, readonly ZoneSpan[]>();

  /** @param name - a zone that `isTimezone` knows */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  #offsetMs(ms: number): number {
    const found = offsetShape.exec(this.#format.format(ms));
    if (found === null) throw new Error('the runtime writes offsets in a form that is not known');
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = found;
    const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * secondMs;
    return sign === '-' ? -size : size;
  }

  /** The first whole second after `fromMs` that has another offset; `untilMs` is known to have one. */
  #changeMs(fromMs: number, untilMs: number, offsetMs: number): number {
    let before = fromMs;
    let after = untilMs;
    while (after - before > secondMs) {
      const middle = before + Math.floor((after - before) / (2 * secondMs)) * secondMs;
      if (this.#offsetMs(middle) === offsetMs) before = middle;
      else after = middle;
    }
    return after;
  }

  #spansOf(year: number): readonly ZoneSpan[] {
    const known = this.#years.get(year);
    if (known !== undefined) return known;
    const spans: ZoneSpan[] = [];
    const endMs = Date.UTC(year + 1, 0);
    let fromMs = Date.UTC(year, 0);
    let offsetMs = this.#offsetMs(fromMs);
    for (let ms = fromMs; ms < endMs; ms += stepMs) {
      const nextMs = Math.min(ms + stepMs, endMs);
      const nextOffsetMs = this.#offsetMs(nextMs);
      if (nextOffsetMs === offsetMs) continue;
      const changeMs = this.#changeMs(ms, nextMs, offsetMs);
      if (changeMs === endMs) continue;
      spans.push({ fromUs: fromMs * 1000, untilUs: changeMs * 1000, offsetUs: offsetMs * 1000 });
      fromMs = changeMs;
      offsetMs = nextOffsetMs;
    }
    spans.push({ fromUs: fromMs * 1000, untilUs: endMs * 1000, offsetUs: offsetMs * 1000 });
    this.#years.set(year, spans);
    return spans;
  }

  /** The stretch of one offset that an instant lies in. */
  spanAt(us: number): ZoneSpan {
    const spans = this.#spansOf(new Date(Math.floor(us / 1000)).getUTCFullYear());
    const span = spans.find(({ untilUs }) => us < untilUs);
    if (span === undefined) throw new RangeError(`there is no year of the instant ${us}`);
    return span;
  }

  /** The local date of an instant, as days from 1970-01-01. */
  dayAt(us: number): number {
    return Math.floor((us + this.spanAt(us).offsetUs) / dayUs);
  }

  /**
   * The first instant whose local date is `day` (days from 1970-01-01) or later: where midnight does not
   * exist the end of the gap, where it exists twice the first one, and of a date that does not exist
   * (Apia, 2011-12-30) the start of the next.
   */
  startOfDay(day: number): number {
    const midnightUs = day * dayUs;
    for (let span = this.spanAt(midnightUs - offsetMaxUs); ; span = this.spanAt(span.untilUs)) {
      const startUs = Math.max(midnightUs - span.offsetUs, span.fromUs);
      if (startUs < span.untilUs) return startUs;
    }
  }
}

const zones = new Map<string, Zone>();
const zonesMax = 64;

/** The calendar of a zone that `isTimezone` knows; those used are kept. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    if (zones.size >= zonesMax) zones.clear();
    zone = new Zone(name);
    zones.set(name, zone);
  }
  return zone;
}
