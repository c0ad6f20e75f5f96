/** What the run of a file may be. */
export type FileState = 'running' | 'succeeded' | 'partially_succeeded' | 'failed';

/** The code of a run whose file did not come to its end; another request may go on with it. */
export const interrupted = 'file_interrupted';

/** What was found in a file. */
export interface FileCounts {
  readonly rows: number;
  readonly points: number;
  readonly errors: number;
  readonly missing: number;
  readonly skipped: number;
}

/** Whether a file has come to its end: its run stays as it is. */
export function isFinished({
  state,
  code,
}: {
  readonly state: FileState;
  readonly code?: string | undefined;
}): boolean {
  return state !== 'running' && code !== interrupted;
}

/**
 * How the run of a file ends that was read to its end. What becomes of its points is told by their own
 * runs; this one tells whether its rows could be read.
 */
export function decideFileEnd({ points, errors }: FileCounts): { readonly state: FileState; readonly code?: string } {
  if (errors === 0) return { state: 'succeeded' };
  return points > 0 ? { state: 'partially_succeeded' } : { state: 'failed', code: 'file_unreadable' };
}
