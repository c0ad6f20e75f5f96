import { setTimeout as delay } from 'node:timers/promises';
import { type Started, startLoop } from '@weir/kit/lifecycle';
import { currentOrigin, inSpanOf, type Origin, SpanKind } from '@weir/kit/telemetry';
import { LiveChoice } from './choose-candidates.js';
import { type Computing, computeCandidates } from './compute-candidates.js';
import { Pace } from './pace.js';
import type { SliceLimits } from './slice.js';
import { Trouble } from './trouble.js';

/** How often a processor looks for what others have left. */
const pollMs = 1000;
/** What somebody else has is tried again so soon. */
const retryMs = 20;
/** Variables that are computed in one transaction. */
const variablesMax = 256;
/** Transactions after which those who wait go on. */
const passesMax = 64;

/** The loop that computes for live points. */
export interface LiveLoop extends Started {
  /** Computes what is marked now, as far as nobody else does; resolves when that is begun. */
  compute(): Promise<void>;
}

/** Computes what live points have marked, many variables at a time. What is too large is handed over. */
export function startLiveLoop(computing: Computing, limits: SliceLimits, onHandedOver: () => void): LiveLoop {
  const choice = new LiveChoice();
  const pace = new Pace(variablesMax);
  const trouble = new Trouble(computing.events, 'compute for live points');
  const waiting: { readonly go: () => void; readonly origin: Origin }[] = [];
  let isDisposed = false;

  /** @returns whether something is left that can be computed soon */
  const computeAll = async (signal: AbortSignal): Promise<boolean> => {
    for (let pass = 0; pass < passesMax && !signal.aborted; pass++) {
      const { candidates, isAll } = await choice.next(computing.pool, pace.next());
      if (candidates.length === 0) return false;
      const round = await pace.measure(candidates.length, () => computeCandidates(computing, 0, candidates, limits));
      if (round.isHandedOver) onHandedOver();
      if (round.claimed === 0) return true;
      // what others mark meanwhile is theirs, and what waits here comes again
      if (isAll && round.skipped === 0 && !round.isMarked) return false;
    }
    return true;
  };
  const loop = startLoop({
    name: 'live',
    intervalMs: pollMs,
    work: async (signal) => {
      for (let isLeft = true; isLeft && !signal.aborted; ) {
        const waited = waiting.splice(0);
        // what they write meanwhile is computed together, next
        for (const { go } of waited) go();
        const origins = waited.map(({ origin }) => origin);
        const compute = () => computeAll(signal);
        isLeft =
          waited.length === 0
            ? await compute()
            : await inSpanOf('compute live', origins, { kind: SpanKind.INTERNAL }, compute);
        if (isLeft) await delay(retryMs, undefined, { signal }).catch(() => undefined);
      }
      trouble.isOver();
    },
    onError: (error) => trouble.begins(error),
  });
  return {
    compute: () =>
      isDisposed
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            waiting.push({ go: resolve, origin: currentOrigin() });
            loop.wake();
          }),
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await loop[Symbol.asyncDispose]();
      for (const { go } of waiting.splice(0)) go();
    },
  };
}
