import { dayUs, observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type { ParserConfiguration } from '@weir/parser-configuration';
import type { RowErrorCode } from '../row-error.js';
import { FileOrder } from './file-order.js';
import { type ReadTimestamp, secondUs } from './timestamp-format.js';
import type { ZoneClock } from './zone-clock.js';

/** Why a local time is no instant. */
export interface ClockFault {
  readonly code: RowErrorCode;
  readonly message: string;
}

const outOfRange: ClockFault = {
  code: 'timestamp_out_of_range',
  message: 'The timestamp lies outside of the years 1700 to 2249; check timestamp.input_format, or correct it.',
};
const leapSecond: ClockFault = {
  code: 'bad_timestamp',
  message: 'A second 60 is one only where UTC reads 23:59; correct the timestamp.',
};

/** Makes instants of the timestamps of rows, by the rules of the configuration for what the clock repeats and skips. */
export class RowClock {
  /** What was wrong with the timestamp that was resolved last. */
  fault: ClockFault | undefined;
  readonly #ambiguous: ParserConfiguration['timestamp']['ambiguous'];
  readonly #shiftsForward: boolean;
  readonly #order: FileOrder;

  constructor({ timestamp, timestamp_order }: ParserConfiguration) {
    const byOrder = timestamp.ambiguous === 'file_order';
    this.#ambiguous = byOrder && timestamp_order === 'unordered' ? 'reject' : timestamp.ambiguous;
    this.#shiftsForward = timestamp.nonexistent === 'shift_forward';
    this.#order = new FileOrder(timestamp_order);
  }

  /**
   * The instant of a timestamp in microseconds; NaN with a `fault`. `track` names what the order of the
   * file is followed for.
   */
  resolve(read: ReadTimestamp, clock: ZoneClock | undefined, track: () => string): number {
    this.fault = undefined;
    // offsets are less than a day; beyond that no zone has to be asked
    if (!(read.us >= observationInstantMinUs - dayUs && read.us < observationInstantEndUs + dayUs)) {
      return this.#fail(outOfRange);
    }
    const us = read.isUtc || clock === undefined ? read.us : this.#local(read.us, clock, track);
    if (this.fault !== undefined) return Number.NaN;
    if (us < observationInstantMinUs || us >= observationInstantEndUs) return this.#fail(outOfRange);
    if (read.isLeap && ((us % dayUs) + dayUs) % dayUs >= secondUs) return this.#fail(leapSecond);
    return us;
  }

  #local(localUs: number, clock: ZoneClock, track: () => string): number {
    const us = clock.toUtc(localUs);
    if (us === us) {
      if (this.#order.isTracking) this.#order.leave(track());
      return us;
    }
    if (!clock.isTwice) {
      if (this.#shiftsForward) return clock.laterUs;
      const message =
        'This local time does not exist: the clock skips it. If the logger keeps its clock all year round, give a ' +
        'fixed offset as timestamp.timezone; or set timestamp.nonexistent to shift_forward.';
      return this.#fail({ code: 'nonexistent_local_time', message });
    }
    if (this.#ambiguous === 'earlier') return clock.earlierUs;
    if (this.#ambiguous === 'later') return clock.laterUs;
    if (this.#ambiguous === 'file_order') return this.#order.choose(track(), clock);
    const message =
      'This local time occurs twice, since the clock is set back. If the logger keeps its clock all year round, give a ' +
      'fixed offset as timestamp.timezone; or set timestamp.ambiguous to earlier, later or file_order.';
    return this.#fail({ code: 'ambiguous_local_time', message });
  }

  #fail(fault: ClockFault): number {
    this.fault = fault;
    return Number.NaN;
  }
}
