import { unavailable } from '@weir/kit/errors';
import { type Started, startLoop } from '@weir/kit/lifecycle';
import type { Pool } from '@weir/kit/sql';
import { selectQueueSize } from './store/queue.js';

/** How often it is looked how much waits: a bound on disk and on patience need not be met to the run. */
const intervalMs = 1000;
/** What waits so long that it fills the backlog is not worked off in a moment. */
const retryAfterS = 10;

/** How much waits to be processed, of the whole deployment, as of a moment ago. */
export interface Backlog extends Started {
  readonly isFull: boolean;
  /**
   * Refuses while the backlog is full.
   *
   * @throws WeirError `dependency_unavailable`
   */
  requireRoom(): void;
}

/** Begins to watch the backlog. While the database does not answer it is taken to be as it was. */
export function watchBacklog(pool: Pool, runsMax: number): Backlog {
  let runs = 0;
  const loop = startLoop({
    intervalMs,
    work: async () => {
      ({ runs } = await selectQueueSize.one(pool, {}));
    },
    onError: () => undefined,
  });
  return {
    get isFull() {
      return runs >= runsMax;
    },
    requireRoom() {
      if (runs < runsMax) return;
      const message = `Points come faster than they are processed, and ${runs} runs wait; send the request again later.`;
      throw unavailable(message, undefined, retryAfterS);
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
