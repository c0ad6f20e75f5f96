/** The part of ./dev that needs what was built; the script `dev` prepares it and calls it. */
import { bench } from './commands/bench.js';
import { check } from './commands/check.js';
import { down } from './commands/down.js';
import { env } from './commands/env.js';
import { exercise } from './commands/exercise.js';
import { soak } from './commands/soak.js';
import { superviseInBackground } from './commands/supervise.js';
import { test } from './commands/test.js';
import { up } from './commands/up.js';
import { weir } from './commands/weir.js';
import { type Environment, readEnvironment, UsageError } from './environment.js';

type Command = (environment: Environment, args: readonly string[]) => Promise<number>;

const commands = new Map<string, Command>(
  Object.entries({ bench, check, down, env, exercise, soak, supervise: superviseInBackground, test, up, weir }),
);

try {
  const [name = '', ...args] = process.argv.slice(2);
  const command = commands.get(name);
  if (command === undefined) throw new UsageError(`unknown command ${name}`);
  process.exitCode = await command(readEnvironment(process.env), args);
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;
  process.stderr.write(`dev: ${(error as Error).message}${isUsage ? '\nSee ./dev --help' : ''}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
