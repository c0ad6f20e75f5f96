import { unavailable } from '@weir/kit/errors';
import { type Started, startLoop } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import type { Pool } from '@weir/kit/sql';
import { countQueue, estimateQueue } from './store/queue.js';

/** How often it is looked how much waits: a bound on disk and on patience need not be met to the run. */
const intervalMs = 1000;
/** Some 16 MB: what they say of a longer queue is wrong by two in a hundred, more or less. */
const sampledPages = 2000;
/** More runs than these are not counted one by one. */
const countedMax = 1_000_000;
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

/** How much is queued; of very much, about how much. */
export async function readQueueSize(pool: Pool): Promise<{ readonly batches: number; readonly runs: number }> {
  const about = await estimateQueue.one(pool, { pages: sampledPages });
  return about.runs > countedMax ? about : await countQueue.one(pool, {});
}

/** Begins to watch the backlog. While the database does not answer it is taken to be as it was. */
export function watchBacklog(pool: Pool, runsMax: number, log: Logger): Backlog {
  let runs = 0;
  let isKnown = true;
  const loop = startLoop({
    name: 'backlog',
    intervalMs,
    work: async () => {
      ({ runs } = await estimateQueue.one(pool, { pages: sampledPages }));
      isKnown = true;
    },
    onError: (error) => {
      if (isKnown) log.warn({ err: error, runs }, 'how much is queued is not known; it is taken to be as it was');
      isKnown = false;
    },
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
