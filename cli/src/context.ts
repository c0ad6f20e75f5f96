import { parseConfig } from '@weir/kit/config';
import { settings } from './config.js';
import type { Output } from './output/output.js';

/** What a command works with: nothing of the process but this. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly output: Output;
  /** Name of the user who runs the command. */
  readonly userName: string;
  /** Exit code of a command that has an answer, but not a good one. */
  setExitCode(code: number): void;
}

/** Who caused a change, as services store it: who WEIR_ACTOR says, for in a container everybody is the same user. */
export function actorOf({ env, userName }: Context): { type: string; id: string } {
  const { name } = parseConfig(settings.actor, env);
  return { type: 'user', id: name === '' ? userName : name };
}
