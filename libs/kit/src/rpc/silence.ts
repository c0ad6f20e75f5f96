import type { CallEnd } from './deadline.js';

/** Passes pieces on, and ends the call when one that is waited for does not come within `timeoutMs`; the time until it is taken does not count. */
export async function* unlessSilent<T>(
  pieces: AsyncIterable<T>,
  timeoutMs: number,
  end: CallEnd,
): AsyncGenerator<T, void, undefined> {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => end.expire(timeoutMs), timeoutMs);
  };
  try {
    wait();
    for await (const piece of pieces) {
      clearTimeout(timer);
      yield piece;
      wait();
    }
  } finally {
    clearTimeout(timer);
  }
}
