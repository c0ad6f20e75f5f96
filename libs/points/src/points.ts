/** One series as points name it. */
export interface Channel {
  /** Undefined when the point gave no site. */
  readonly siteId: string | undefined;
  readonly instrumentName: string;
  readonly variableName: string;
}

/**
 * Points as columns. Point `i` is at `instantsUs[i]` and has the values `valueStarts[i]` (inclusive)
 * to `valueStarts[i + 1]` (exclusive); value `j` belongs to `channels[valueChannels[j]]`. Every point
 * has at least one value, and all its channels are of one instrument.
 */
export interface Points {
  readonly count: number;
  readonly channels: readonly Channel[];
  /** Microseconds since 1970. */
  readonly instantsUs: Float64Array;
  readonly valueStarts: Uint32Array;
  readonly valueChannels: Uint32Array;
  readonly values: Float64Array;
}
