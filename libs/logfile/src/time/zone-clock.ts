import { dayUs } from '@weir/kit/time';
import { secondUs } from './timestamp-format.js';
import { type Span, type ZoneSpans, zoneSpans } from './zone-spans.js';

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

/** A zone by the runtime's data, at which most rows look just where the one before did. */
class IanaClock implements ZoneClock {
  isTwice = false;
  earlierUs = Number.NaN;
  laterUs = Number.NaN;
  readonly #spans: ZoneSpans;
  /** Local times from `#safeFromUs` up to `#safeToUs` have `#offsetUs` and occur once. */
  #safeFromUs = Number.NaN;
  #safeToUs = Number.NaN;
  #offsetUs = 0;

  constructor(zone: string) {
    this.#spans = zoneSpans(zone);
  }

  toUtc(localUs: number): number {
    if (localUs >= this.#safeFromUs && localUs < this.#safeToUs) return localUs - this.#offsetUs;
    const spans = this.#spans;
    // no zone is a day from UTC, so these are before and after any change that matters
    const before = spans.at(localUs - dayUs).offsetUs;
    const after = spans.at(localUs + dayUs).offsetUs;
    const fits = (offsetUs: number): boolean => spans.at(localUs - offsetUs).offsetUs === offsetUs;
    const isBefore = fits(before);
    const isAfter = fits(after);
    if (isBefore !== isAfter || before === after) {
      const offsetUs = isBefore ? before : after;
      this.#remember(spans.at(localUs - offsetUs));
      return localUs - offsetUs;
    }
    this.isTwice = isBefore;
    this.earlierUs = localUs - Math.max(before, after);
    this.laterUs = localUs - Math.min(before, after);
    return Number.NaN;
  }

  /** Keeps the part of a span that no change of the clock touches. */
  #remember({ startUs, endUs, offsetUs }: Span): void {
    this.#offsetUs = offsetUs;
    this.#safeFromUs = startUs + Math.max(offsetUs, this.#spans.at(startUs - 1).offsetUs);
    this.#safeToUs = endUs + Math.min(offsetUs, this.#spans.at(endUs).offsetUs);
  }
}
