import { ByteStore } from './byte-store.js';
import { recordBytesMax } from './limits.js';
import { afterLineEnd, findLineEnd, type RecordOutcome, type RecordScanner } from './record-scanner.js';

/** What the next line is: whole, longer than lines may be, not yet there, or none since the file has ended. */
export type LineOutcome = 'line' | 'too_long' | 'needs_bytes' | 'end';

/**
 * The bytes of a file as lines and records. Lines are counted here. However small the chunks are, bytes are
 * looked at a bounded number of times: nothing is scanned again before a line end has come.
 */
export class LineSource {
  /** The physical line that is next, from 1. */
  line = 1;
  /** How many bytes were looked at, those looked at again included. */
  examinedBytes = 0;
  readonly store = new ByteStore();
  /** Whether no more bytes come. */
  isAll = false;
  /** Whether a byte order mark may begin a line, as it does where files were put behind one another. */
  hasUtf8Marks = true;
  /** Where the content of the line that was looked at ends. */
  contentEnd = 0;
  #next = 0;
  /** As far as there is no line end, counted from the start of the record. */
  #searched = 0;
  /** Whether the record was scanned and is not whole. */
  #isPartial = false;
  /** Whether the rest of a line that is too long is being dropped. */
  #isDropping = false;

  /** Whether the next record begins at the start of the store, and was not looked at in vain before. */
  get isFresh(): boolean {
    return !this.#isPartial && !this.#isDropping;
  }

  /** Looks at the next line as it stands, without regard to quotes. */
  peekLine(): LineOutcome {
    const obstacle = this.#begin();
    if (obstacle !== undefined) return obstacle;
    const { store, isAll } = this;
    const at = this.#find();
    if (at < 0 && !isAll) return store.end - store.start > recordBytesMax ? 'too_long' : 'needs_bytes';
    this.contentEnd = at < 0 ? store.end : at;
    this.#next = at < 0 ? store.end : afterLineEnd(store.bytes, at, store.end);
    return this.contentEnd - store.start > recordBytesMax ? 'too_long' : 'line';
  }

  /** Moves behind the line that was looked at. */
  skipLine(): void {
    this.moveTo(this.#next, 1);
  }

  /** Scans the next record. */
  scan(scanner: RecordScanner): RecordOutcome | 'end' {
    const obstacle = this.#begin();
    if (obstacle !== undefined) return obstacle;
    const { store, isAll } = this;
    // a record ends with a line: without a further line end there is nothing new to be said
    const isShort = store.end - store.start <= recordBytesMax;
    if (this.#isPartial && isShort && !isAll && this.#find() < 0) return 'needs_bytes';
    const outcome = scanner.scan(store.bytes, store.start, store.end, isAll);
    const isWhole = outcome === 'record' || outcome === 'unclosed_quote';
    this.examinedBytes += (isWhole ? scanner.next : store.end) - store.start;
    this.#isPartial = outcome === 'needs_bytes';
    if (this.#isPartial) this.#noteSearched();
    return outcome;
  }

  /** Moves behind lines, to a place that was scanned. */
  moveTo(next: number, lines: number): void {
    this.store.start = next;
    this.#searched = 0;
    this.#isPartial = false;
    this.line += lines;
  }

  /** Drops a line that is too long, with what of it is yet to come. */
  dropLine(): void {
    this.#isDropping = true;
    this.store.start += recordBytesMax;
    this.#drop();
  }

  /** What keeps the next line from being looked at. */
  #begin(): 'needs_bytes' | 'end' | undefined {
    if (this.#isDropping && !this.#drop()) return 'needs_bytes';
    const { store } = this;
    const { bytes, start } = store;
    const isMarked = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
    if (this.hasUtf8Marks && isMarked && start + 3 <= store.end) {
      store.start += 3;
      this.#searched = Math.max(0, this.#searched - 3);
    }
    if (store.start < store.end) return undefined;
    return this.isAll ? 'end' : 'needs_bytes';
  }

  /** Drops up to the end of the line, or of the file; false where that is yet to come. */
  #drop(): boolean {
    const { store, isAll } = this;
    const at = findLineEnd(store.bytes, store.start, store.end, isAll);
    this.examinedBytes += (at < 0 ? store.end : at) - store.start;
    if (at >= 0 || isAll) {
      this.#isDropping = false;
      this.moveTo(at < 0 ? store.end : afterLineEnd(store.bytes, at, store.end), 1);
      return true;
    }
    store.start = store.end > store.start && this.#endsWithCr() ? store.end - 1 : store.end;
    return false;
  }

  #find(): number {
    const { store, isAll } = this;
    const from = store.start + this.#searched;
    const at = findLineEnd(store.bytes, from, store.end, isAll);
    this.examinedBytes += (at < 0 ? store.end : at) - from;
    if (at < 0) this.#noteSearched();
    return at;
  }

  #noteSearched(): void {
    this.#searched = this.store.end - this.store.start - (this.#endsWithCr() ? 1 : 0);
  }

  /** A CR at the end is a line end only once it is known what follows. */
  #endsWithCr(): boolean {
    return this.store.bytes[this.store.end - 1] === 13;
  }
}
