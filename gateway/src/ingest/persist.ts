import { setTimeout as delay } from 'node:timers/promises';
import { WeirError } from '@weir/kit/errors';

/** How long a service may be away before a file is given up, and the pauses between tries. */
const patienceMs = 20_000;
const pauseMs = { first: 100, max: 2000 };

/**
 * Does work that may be repeated until a service that is away is back: a file of minutes is not given
 * up for a restart of seconds.
 *
 * @throws WeirError as the service said, once it was away for too long or the signal aborted
 */
export async function persist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUpMs = performance.now() + patienceMs;
  for (let ms = pauseMs.first; ; ms = Math.min(ms * 2, pauseMs.max)) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof WeirError && error.code === 'dependency_unavailable';
      if (!isAway || signal.aborted || performance.now() + ms > giveUpMs) throw error;
      await delay(ms, undefined, { signal }).catch(() => undefined);
    }
  }
}
