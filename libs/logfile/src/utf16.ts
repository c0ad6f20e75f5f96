/**
 * Turns UTF-16 into UTF-8, chunk by chunk. What is not valid (lone surrogates, half a unit at the end)
 * becomes a byte that UTF-8 does not have, so that the row it stands in is told as one that is badly encoded.
 */
export class Utf16Transcoder {
  readonly #isBigEndian: boolean;
  /** The first byte of a unit, or -1. */
  #half = -1;
  /** A high surrogate that waits for the low one, or 0. */
  #high = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  /** The text of a chunk as UTF-8. */
  write(chunk: Uint8Array): Uint8Array {
    // a unit gives at most three bytes, a waiting one included
    const out = new Uint8Array((chunk.length / 2 + 2) * 3);
    let length = 0;
    for (const byte of chunk) {
      if (this.#half < 0) {
        this.#half = byte;
        continue;
      }
      const unit = this.#isBigEndian ? (this.#half << 8) | byte : (byte << 8) | this.#half;
      this.#half = -1;
      length = this.#writeUnit(unit, out, length);
    }
    return out.subarray(0, length);
  }

  /** What is left when there is no more. */
  end(): Uint8Array {
    return new Uint8Array((this.#high === 0 ? 0 : 1) + (this.#half < 0 ? 0 : 1)).fill(invalidByte);
  }

  #writeUnit(unit: number, out: Uint8Array, start: number): number {
    let length = start;
    if (unit >= 0xdc00 && unit <= 0xdfff) {
      if (this.#high === 0) out[length++] = invalidByte;
      else {
        const point = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
        out[length++] = 0xf0 | (point >> 18);
        out[length++] = 0x80 | ((point >> 12) & 63);
        out[length++] = 0x80 | ((point >> 6) & 63);
        out[length++] = 0x80 | (point & 63);
      }
      this.#high = 0;
      return length;
    }
    if (this.#high !== 0) out[length++] = invalidByte;
    this.#high = 0;
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else if (unit < 0x80) out[length++] = unit;
    else if (unit < 0x800) {
      out[length++] = 0xc0 | (unit >> 6);
      out[length++] = 0x80 | (unit & 63);
    } else {
      out[length++] = 0xe0 | (unit >> 12);
      out[length++] = 0x80 | ((unit >> 6) & 63);
      out[length++] = 0x80 | (unit & 63);
    }
    return length;
  }
}

const invalidByte = 0xff;
