import { type Started, startLoop } from '@weir/kit/lifecycle';
import { forgetRecalculations, reportProgress } from './report-progress.js';
import { forgetChanges, type Taking, takeChanges } from './take-changes.js';
import { Trouble } from './trouble.js';

/** Between looks for changes, and between reports of one run; some more, so that processors do not ask in step. */
const intervalMs = { least: 400, more: 200 } as const;
const forgetIntervalMs = 3_600_000;

/**
 * Keeps what is computed in step with the catalog: takes over what has changed in it, and reports how far recalculations
 * are. While the variables service is away what was taken over is computed all the same.
 */
export function startBookkeeping(options: Taking): Started {
  const { events } = options;
  const repeat = (what: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): Started => {
    const trouble = new Trouble(events, what);
    return startLoop({
      intervalMs: everyMs,
      async work(signal) {
        await work(signal);
        trouble.isOver();
      },
      onError: (error) => trouble.begins(error),
    });
  };
  const pauseMs = intervalMs.least + Math.random() * intervalMs.more;
  const loops = [
    repeat('take over changes', pauseMs, (signal) => takeChanges(options, signal)),
    repeat('report recalculations', pauseMs, (signal) => reportProgress(options, signal)),
    repeat('forget what is past', forgetIntervalMs, async () => {
      await forgetChanges(options);
      await forgetRecalculations(options);
    }),
  ];
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}
