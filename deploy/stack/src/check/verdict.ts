import type { Captured } from './capture.js';

/** What a step of the check found. */
export interface Verdict {
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Shown beside the step's name. */
  readonly note?: string;
  /** Shown when it failed. */
  readonly output?: string;
}

/** A command that exits with 0 passes. */
export function byExitCode({ code, output }: Captured): Verdict {
  return code === 0 ? { status: 'passed' } : { status: 'failed', output };
}
