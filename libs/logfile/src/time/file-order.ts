import type { ParserConfiguration } from '@weir/parser-configuration';
import type { ZoneClock } from './zone-clock.js';

/** Most instruments, or variables of the long form, whose place in a repeated hour is known at one time. */
const tracksMax = 100_000;

/**
 * Tells by the order of the file which of two instants a repeated local time is. In a file that runs forward the first of
 * a pair is the earlier: a time is read as the earlier one unless that would not lie after the time that the same
 * instrument had before. In one that runs backward the same goes the other way round.
 */
export class FileOrder {
  readonly #isForward: boolean;
  /** The last instant of each track, as long as it lies in a repeated hour. */
  readonly #last = new Map<string, number>();

  constructor(order: ParserConfiguration['timestamp_order']) {
    this.#isForward = order === 'oldest_first';
  }

  /** Whether there is anything to leave. */
  get isTracking(): boolean {
    return this.#last.size > 0;
  }

  /** A time of the track that occurs once: what comes after it begins anew. */
  leave(track: string): void {
    this.#last.delete(track);
  }

  /** The instant of a time that occurs twice. */
  choose(track: string, { earlierUs, laterUs }: ZoneClock): number {
    // another year's repeated hour is no neighbour, and neither is one that the zone of the row before has
    const last = this.#last.get(track);
    const isNear = last !== undefined && Math.abs(last - earlierUs) <= 2 * (laterUs - earlierUs);
    const first = this.#isForward ? earlierUs : laterUs;
    const second = this.#isForward ? laterUs : earlierUs;
    const isAfter = this.#isForward ? first > (last ?? 0) : first < (last ?? 0);
    const chosen = !isNear || isAfter ? first : second;
    if (this.#last.size >= tracksMax) this.#last.clear();
    this.#last.set(track, chosen);
    return chosen;
  }
}
