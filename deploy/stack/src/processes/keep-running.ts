import { setTimeout as sleep } from 'node:timers/promises';
import type { OnUnexpectedExit, ProcessGroup } from './process-group.js';

const backoffMinMs = 500;
const backoffMaxMs = 15_000;

/** Starts again what ended, until disposed. */
export interface Keeper extends Disposable {
  /** A process of a group ended that nobody asked to. */
  readonly ended: OnUnexpectedExit;
}

/**
 * Makes a keeper. It waits longer before each further start of the same process; `report` gets a
 * line for each.
 */
export function keepRunning(report: (line: string) => void): Keeper {
  const ends = new Map<string, number>();
  const abort = new AbortController();
  const restart = async (group: ProcessGroup, name: string): Promise<void> => {
    const count = ends.get(name) ?? 0;
    ends.set(name, count + 1);
    const backoffMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** count);
    report(`${name} ended unexpectedly; starting it again in ${backoffMs} ms`);
    await sleep(backoffMs, undefined, { signal: abort.signal });
    await group.restart(name);
    report(`${name} is running again`);
  };
  const ended: Keeper['ended'] = (group, name) => {
    restart(group, name).catch((error: unknown) => {
      if (abort.signal.aborted) return;
      report(String(error));
      ended(group, name);
    });
  };
  return { ended, [Symbol.dispose]: () => abort.abort() };
}
