/** Milliseconds that the caller still waits; sent with every call. */
export const timeoutHeader = 'weir-timeout-ms';

/** Taken off the caller's time, so that an inner failure can still be told. */
export const deadlineMarginMs = 20;

/** Work that has less time than this is refused at once. */
export const deadlineMinMs = 5;

/** What a call is ended by. */
export interface CallEnd extends Disposable {
  /** Aborted when the time is up or the caller goes away. */
  readonly signal: AbortSignal;
  /** The milliseconds that were not enough; undefined while they are. */
  readonly lateAfterMs: number | undefined;
  /** Ends the call because so many milliseconds were not enough. */
  readonly expire: (afterMs: number) => void;
}

/**
 * The end of a call that may take so many milliseconds, and no longer than its caller waits. Disposing, when the call
 * has ended, takes its timer away: those of thousands of calls would stay until their time, as the ones of
 * `AbortSignal.timeout` do, which the collector has to look at as well.
 */
export function endAfter(timeoutMs: number, caller?: AbortSignal): CallEnd {
  const controller = new AbortController();
  let lateAfterMs: number | undefined;
  const expire = (afterMs: number): void => {
    lateAfterMs = afterMs;
    controller.abort(new DOMException(`${afterMs} ms are over.`, 'TimeoutError'));
  };
  const leave = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(expire, timeoutMs, timeoutMs);
  if (caller?.aborted === true) leave();
  else caller?.addEventListener('abort', leave);
  return {
    signal: controller.signal,
    get lateAfterMs() {
      return lateAfterMs;
    },
    expire,
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', leave);
    },
  };
}
