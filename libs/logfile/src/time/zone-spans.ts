/** A span of time with one offset; it may go on with the same one after it. */
export interface Span {
  readonly startUs: number;
  readonly endUs: number;
  readonly offsetUs: number;
}

/** No zone changes its clock and back within it. */
const sampleMs = 7 * 86_400_000;
/** Zones whose spans are kept for the next file. */
const zonesKept = 64;

const kept = new Map<string, ZoneSpans>();

/** The spans of a zone: they are the same for all files, and found just once. */
export function zoneSpans(zone: string): ZoneSpans {
  let spans = kept.get(zone);
  if (spans === undefined) {
    spans = new ZoneSpans(zone);
    if (kept.size >= zonesKept) kept.clear();
    kept.set(zone, spans);
  }
  return spans;
}

/**
 * The offsets of a zone by the runtime's data. A query of the runtime costs microseconds, so the changes of
 * a year are searched for once, when an instant in it is asked for first.
 */
export class ZoneSpans {
  readonly #format: Intl.DateTimeFormat;
  readonly #spansOfYear = new Map<number, Span[]>();

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

  /** The span of an instant, cut where its year in UTC begins and ends. */
  at(us: number): Span {
    const year = new Date(us / 1000).getUTCFullYear();
    let spans = this.#spansOfYear.get(year);
    if (spans === undefined) {
      spans = this.#find(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
      this.#spansOfYear.set(year, spans);
    }
    return spans.find(({ endUs }) => us < endUs) as Span;
  }

  #find(startMs: number, endMs: number): Span[] {
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
