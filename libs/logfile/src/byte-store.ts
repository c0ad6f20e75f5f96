const firstBytes = 65_536;

/** The bytes that were pushed and not yet read, in one piece: those of `bytes` from `start` up to `end`. */
export class ByteStore {
  bytes: Uint8Array = Buffer.allocUnsafeSlow(firstBytes);
  start = 0;
  end = 0;

  /** Appends a copy of a chunk. Each byte is moved a bounded number of times, however small the chunks are. */
  push(chunk: Uint8Array): void {
    if (this.end + chunk.length > this.bytes.length) this.#makeRoom(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /** Moves what is unread to the front, of a larger piece when it fills more than half of this one. */
  #makeRoom(length: number): void {
    const unread = this.end - this.start;
    let capacity = this.bytes.length;
    while ((unread + length) * 2 > capacity) capacity *= 2;
    const target = capacity === this.bytes.length ? this.bytes : Buffer.allocUnsafeSlow(capacity);
    target.set(this.bytes.subarray(this.start, this.end));
    this.bytes = target;
    this.start = 0;
    this.end = unread;
  }
}
