/** A timestamp that was read: local time as if it were UTC, unless its text has an offset. */
export interface ReadTimestamp {
  /** Microseconds since 1970; beyond what a double holds exactly it is out of range anyway. */
  us: number;
  /** Whether `us` is UTC already. */
  isUtc: boolean;
  /** Whether its second was 60, which only UTC's 23:59 may have. */
  isLeap: boolean;
}

/** How the bytes of a timestamp are read. */
export interface TimestampFormat {
  /** The length of what it reads most; absent where that varies. */
  readonly length?: number;
  /** Reads into `out`; false where the bytes are no such timestamp. */
  read(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean;
  /** Reads what has this length and just the characters of the format: no tab for a blank. Only with a `length`. */
  readPlain?(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean;
}

export const secondUs = 1_000_000;
