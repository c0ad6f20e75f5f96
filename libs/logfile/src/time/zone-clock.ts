import { dayUs, secondUs } from './timestamp-format.js';

/** The clock of a zone: what instant a local time is. */
export interface ZoneClock {
  /** The instant of a local time that occurs once, else NaN; the fields tell of that one then. */
  toUtc(localUs: number): number;
  /** Whether the local time of the last NaN occurs twice; otherwise never. */
  readonly isTwice: boolean;
  /** The two instants; of a time that never occurs, `laterUs` is it shifted forward by what the clock skips. */
  readonly earlierUs: number;
  readonly laterUs: number;
}

const fixedOffset = /^([+-])(\d{2}):(\d{2})$/;

/** The clock of an offset such as `+01:00`, or of a zone of the IANA database. */
export function zoneClock(zone: string): ZoneClock {
  const [, sign, hours, minutes] = fixedOffset.exec(zone) ?? [];
  if (sign === undefined) return new IanaClock(zone);
  return offsetClock((sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes)) * secondUs);
}

/** The clock of a constant offset. */
export function offsetClock(offsetUs: number): ZoneClock {
  return { toUtc: (localUs) => localUs - offsetUs, isTwice: false, earlierUs: Number.NaN, laterUs: Number.NaN };
}

/** A span of time with one offset; it may go on with the same one after it. */
interface Span {
  readonly startUs: number;
  readonly endUs: number;
  readonly offsetUs: number;
}

/** Zones change their clock no more than once in it, and back to what it was. */
const sampleMs = 7 * 86_400_000;

/**
 * A zone by the runtime's data. A query of the runtime costs microseconds, so the changes of a year are
 * searched for once, when a time in it is met first; most rows then lie in the same span as the one before.
 */
class IanaClock implements ZoneClock {
  isTwice = false;
  earlierUs = Number.NaN;
  laterUs = Number.NaN;
  readonly #format: Intl.DateTimeFormat;
  readonly #spansOfYear = new Map<number, Span[]>();
  /** Local times from `#safeFromUs` up to `#safeToUs` have `#offsetUs` and occur once. */
  #safeFromUs = Number.NaN;
  #safeToUs = Number.NaN;
  #offsetUs = 0;

  constructor(timeZone: string) {
    const numeric = 'numeric';
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  }

  toUtc(localUs: number): number {
    if (localUs >= this.#safeFromUs && localUs < this.#safeToUs) return localUs - this.#offsetUs;
    // no zone is a day from UTC, so these are before and after any change that matters
    const before = this.#spanAt(localUs - dayUs).offsetUs;
    const after = this.#spanAt(localUs + dayUs).offsetUs;
    const fits = (offsetUs: number): boolean => this.#spanAt(localUs - offsetUs).offsetUs === offsetUs;
    const isBefore = fits(before);
    const isAfter = fits(after);
    if (isBefore !== isAfter || before === after) {
      this.#remember(this.#spanAt(localUs - (isBefore ? before : after)));
      return localUs - (isBefore ? before : after);
    }
    this.isTwice = isBefore;
    this.earlierUs = localUs - Math.max(before, after);
    this.laterUs = localUs - Math.min(before, after);
    return Number.NaN;
  }

  /** Keeps the part of a span that no change of the clock touches. */
  #remember({ startUs, endUs, offsetUs }: Span): void {
    this.#offsetUs = offsetUs;
    this.#safeFromUs = startUs + Math.max(offsetUs, this.#spanAt(startUs - 1).offsetUs);
    this.#safeToUs = endUs + Math.min(offsetUs, this.#spanAt(endUs).offsetUs);
  }

  #spanAt(us: number): Span {
    const year = new Date(us / 1000).getUTCFullYear();
    let spans = this.#spansOfYear.get(year);
    if (spans === undefined) {
      spans = this.#findSpans(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
      this.#spansOfYear.set(year, spans);
    }
    return spans.find(({ endUs }) => us < endUs) as Span;
  }

  #findSpans(startMs: number, endMs: number): Span[] {
    const spans: Span[] = [];
    let spanMs = startMs;
    let offsetMs = this.#offsetMs(startMs);
    const close = (atMs: number) =>
      spans.push({ startUs: spanMs * 1000, endUs: atMs * 1000, offsetUs: offsetMs * 1000 });
    for (let fromMs = startMs; fromMs < endMs; fromMs += sampleMs) {
      const toMs = Math.min(fromMs + sampleMs, endMs);
      const nextMs = this.#offsetMs(toMs);
      if (nextMs === offsetMs) continue;
      const changeMs = this.#findChange(fromMs, toMs, offsetMs);
      close(changeMs);
      spanMs = changeMs;
      offsetMs = nextMs;
    }
    if (spanMs < endMs) close(endMs);
    return spans;
  }

  /** The second at which the offset stops to be what it is at `fromMs`. */
  #findChange(fromMs: number, toMs: number, offsetMs: number): number {
    let before = fromMs;
    let after = toMs;
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (this.#offsetMs(middle) === offsetMs) before = middle;
      else after = middle;
    }
    return after;
  }

  #offsetMs(ms: number): number {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] =
      this.#format.format(ms).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
  }
}
