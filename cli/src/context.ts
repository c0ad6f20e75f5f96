import type { Output } from './output/output.js';

/** What a command works with: nothing of the process but this. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly output: Output;
  /** Name of the person who runs the command, kept with each change. */
  readonly userName: string;
  /** Exit code of a command that has an answer, but not a good one. */
  setExitCode(code: number): void;
}

/** Who caused a change, as services store it. */
export function actorOf(context: Context): { type: string; id: string } {
  return { type: 'user', id: context.userName };
}
