/** Milliseconds that the caller still waits; sent with every call. */
export const timeoutHeader = 'weir-timeout-ms';

/** Taken off the caller's time, so that an inner failure can still be told. */
export const deadlineMarginMs = 20;

/** Work that has less time than this is refused at once. */
export const deadlineMinMs = 5;

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
  readonly #leave: () => void;
  readonly #timer: NodeJS.Timeout;
  #lateAfterMs: number | undefined;

  constructor(timeoutMs: number, caller?: AbortSignal) {
    const leave = (): void => this.#controller.abort(caller?.reason);
    this.#caller = caller;
    this.#leave = leave;
    this.#timer = setTimeout(() => this.expire(timeoutMs), timeoutMs);
    if (caller?.aborted === true) leave();
    else caller?.addEventListener('abort', leave);
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
    this.#caller?.removeEventListener('abort', this.#leave);
  }
}
