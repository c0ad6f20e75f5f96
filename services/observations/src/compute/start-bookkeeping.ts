import { type Started, startLoop } from '@weir/kit/lifecycle';
import type { LoopName } from '@weir/kit/metrics';
import { forgetRecalculations, reportProgress } from './report-progress.js';
import { forgetChanges, type Taking, takeChanges } from './take-changes.js';
import { Trouble } from './trouble.js';

/** Between looks for changes, and between reports of one run; some more, so that processors do not ask in step. */
const reportIntervalMs = { least: 400, more: 200 } as const;
const forgetIntervalMs = 3_600_000;

/**
 * Keeps what is computed in step with the catalog: takes over what has changed in it, and reports how far recalculations
 * are. While the variables service is away what was taken over is computed all the same.
 */
export function startBookkeeping(options: Taking): Started {
  const { events } = options;
  type Work = (signal: AbortSignal) => Promise<void>;
  const repeat = (name: LoopName, what: string, intervalMs: number, work: Work): Started => {
    const trouble = new Trouble(events, what);
    return startLoop({
      name,
      intervalMs,
      async work(signal) {
        await work(signal);
        trouble.isOver();
      },
      onError: (error) => trouble.begins(error),
    });
  };
  const pauseMs = reportIntervalMs.least + Math.random() * reportIntervalMs.more;
  const loops = [
    repeat('changes', 'take over changes', pauseMs, (signal) => takeChanges(options, signal)),
    repeat('recalculation_reports', 'report recalculations', pauseMs, (signal) => reportProgress(options, signal)),
    repeat('forgetting', 'forget what is past', forgetIntervalMs, async () => {
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
