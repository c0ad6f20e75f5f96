import { unavailable } from '../errors/index.js';

/** Milliseconds that the caller still waits; sent with every call. */
export const timeoutHeader = 'weir-timeout-ms';

/** Taken off the caller's time, so that an inner failure can still be told. */
const marginMs = 20;

/** Work that has less time than this is refused at once. */
const leastMs = 5;

/**
 * Milliseconds that work may take whose caller has sent this header; undefined where it sent none.
 *
 * @throws WeirError `dependency_unavailable` when no time is left
 */
export function remainingMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const timeoutMs = Number(header) - marginMs;
  if (!(timeoutMs >= leastMs)) throw unavailable('The deadline of the request has passed.');
  return timeoutMs;
}

/**
 * The end of a call that may take so many milliseconds, and no longer than its caller waits. Disposing, when the call
 * has ended, takes its timer away: those of thousands of calls would stay until their time, as the ones of
 * `AbortSignal.timeout` do, which the collector has to look at as well.
 *
 * A class, since an object literal with a getter has a hidden class of its own, which V8 keeps, with all that the getter
 * sees, until it collects all garbage.
 */
export class CallEnd implements Disposable {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Ends the call because its caller went away. */
  readonly leave: () => void;
  #lateAfterMs: number | undefined;

  /** @param timeoutMs - no end of time where it is undefined */
  constructor(timeoutMs: number | undefined, caller?: AbortSignal) {
    this.#caller = caller;
    this.leave = () => this.#controller.abort(caller?.reason);
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.expire(timeoutMs), timeoutMs);
    if (caller?.aborted === true) this.leave();
    else caller?.addEventListener('abort', this.leave);
  }

  /** Aborted when the time is up or the caller goes away. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The milliseconds that were not enough; undefined while they are. */
  get lateAfterMs(): number | undefined {
    return this.#lateAfterMs;
  }

  /** Ends the call because so many milliseconds were not enough. */
  expire(afterMs: number): void {
    this.#lateAfterMs = afterMs;
    this.#controller.abort(new DOMException(`${afterMs} ms are over.`, 'TimeoutError'));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.leave);
  }
}
