import { Worker } from 'node:worker_threads';

/** How often a hung process is looked at before it is ended. */
const looksMax = 10;

/** What the thread that looks is told. */
export interface Watched {
  /** Its first number changes with every turn of the event loop that is watched. */
  readonly turns: Int32Array<SharedArrayBuffer>;
  readonly everyMs: number;
  readonly looksMax: number;
}

/**
 * Ends this process with SIGKILL once its event loop has not turned for `afterMs`: what hangs neither works nor hears a signal. A
 * thread of its own looks. It counts looks and not time, so that a process that was frozen as a whole goes on.
 */
export function endWhenHung(afterMs: number): void {
  const everyMs = afterMs / looksMax;
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(turns, 0, 1), everyMs / 2).unref();
  const workerData: Watched = { turns, everyMs, looksMax };
  // nothing of what the process preloads
  new Worker(new URL('./watch-turns.js', import.meta.url), { workerData, execArgv: [], env: {} }).unref();
}
