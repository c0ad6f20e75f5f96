import { write, writeSync } from 'node:fs';

/** Lines are written when there are so many characters of them, or so long after the first. */
const together = { charactersMin: 8192, ms: 100 } as const;
/** Who has stopped reading the log loses lines, and not the process its memory: so many characters wait at most. */
const charactersMax = 16 * 1024 * 1024;
/** A process that ends waits so long at most for who reads its log. */
const endMs = 1000;
const stdout = 1;
const nothing = Buffer.alloc(0);

function isBusy(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EBUSY';
}

/**
 * Lines on their way to the standard output. They are written together, a moment later, one write at a time; what cannot be
 * written is dropped. pino's own destination measures all that waits with every line, and a process whose output
 * nobody takes any more (a broken pipe, a full disk) it tries to write the rest of for ever when that ends.
 */
class Lines {
  #waiting = '';
  /** What the last write has left, as the one who reads was busy. */
  #left: Buffer = nothing;
  #isWriting = false;
  /** What waits is to be written as soon as what is being written is. */
  #isUrgent = false;
  #timer: NodeJS.Timeout | undefined;

  /** Takes a whole line. */
  write(line: string): void {
    if (this.#waiting.length > charactersMax) return;
    this.#waiting += line;
    if (this.#isEnough) this.#pass();
    else this.#passLater();
  }

  /** Writes what waits without waiting for more. */
  hurry(): void {
    this.#isUrgent = true;
    this.#pass();
  }

  /** Writes what waits before the process ends. */
  end(): void {
    const latestMs = performance.now() + endMs;
    let bytes = this.#take();
    while (bytes.length > 0) {
      try {
        bytes = bytes.subarray(writeSync(stdout, bytes));
      } catch (error) {
        if (!isBusy(error) || performance.now() > latestMs) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  get #isEnough(): boolean {
    return this.#isUrgent || this.#waiting.length >= together.charactersMin;
  }

  #take(): Buffer {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = Buffer.from(this.#waiting);
    const bytes = this.#left.length > 0 ? Buffer.concat([this.#left, text]) : text;
    this.#waiting = '';
    this.#left = nothing;
    this.#isUrgent = false;
    return bytes;
  }

  #passLater(): void {
    this.#timer ??= setTimeout(() => this.#pass(), together.ms).unref();
  }

  #pass(): void {
    if (this.#isWriting) return;
    const bytes = this.#take();
    if (bytes.length === 0) return;
    this.#isWriting = true;
    write(stdout, bytes, (error, written) => {
      this.#isWriting = false;
      const wasBusy = error !== null && isBusy(error);
      if (wasBusy) this.#left = bytes;
      else if (error === null) this.#left = bytes.subarray(written);
      if (!wasBusy && (this.#left.length > 0 || this.#isEnough)) this.#pass();
      else if (this.#left.length > 0 || this.#waiting !== '') this.#passLater();
    });
  }
}

let lines: Lines | undefined;

/** Those of this process: all of its logs have one. */
export function linesOfProcess(): Lines {
  if (lines === undefined) {
    const opened = new Lines();
    process.once('exit', () => opened.end());
    lines = opened;
  }
  return lines;
}
