import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectApi } from './project-api.js';

/** A recalculation as the API shows it. */
export interface RecalculationRun {
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly progress: {
    readonly ranges: { readonly total: number; readonly done: number; readonly skipped: number };
    readonly instants: { readonly total: number; readonly done: number };
    readonly missing: Readonly<Record<string, number>>;
  };
}

const timeoutMs = 60_000;
const pollMs = 25;

/** A recalculation as it is now. */
export async function readRecalculation(project: ProjectApi, runId: string): Promise<RecalculationRun> {
  return await project.done('GET', `/runs/${runId}`);
}

/** Waits until a recalculation is as a test wants it. */
export async function recalculationWhen(
  project: ProjectApi,
  runId: string,
  isWanted: (run: RecalculationRun) => boolean,
): Promise<RecalculationRun> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const run = await readRecalculation(project, runId);
    if (isWanted(run)) return run;
    if (Date.now() > deadline) throw new Error(`after ${timeoutMs} ms the run is ${JSON.stringify(run)}`);
    await delay(pollMs);
  }
}

/** Waits until a recalculation has ended. */
export async function endedRecalculation(project: ProjectApi, runId: string): Promise<RecalculationRun> {
  return await recalculationWhen(project, runId, ({ state }) => state === 'succeeded' || state === 'failed');
}
