import type { Environment } from '../environment.js';
import { parseOptions } from '../parse-options.js';
import { readRunningStack } from '../running-stack.js';
import { assignments } from '../summary.js';

/** `./dev env`: shell assignments of the running stack. */
export async function env(environment: Environment, args: readonly string[]): Promise<number> {
  parseOptions(args, {});
  const stack = await readRunningStack(environment.runDirectory);
  if (stack === undefined) throw new Error('nothing is running: ./dev up --detach');
  process.stdout.write(assignments(stack));
  return 0;
}
