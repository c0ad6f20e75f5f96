import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../environment.js';
import { repositoryRoot } from '../paths.js';

/** Runs vitest at the root of the repository, until it ends or is told to stop. @returns its exit code */
export function runVitest(
  { binaries }: Environment,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stop?: AbortSignal,
): Promise<number> {
  const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...args], {
    cwd: repositoryRoot,
    env: {
      ...process.env,
      // some tests start a server of their own
      PATH: `${process.env['PATH']}${delimiter}${dirname(binaries.natsServer)}`,
      ...env,
    },
    stdio: 'inherit',
  });
  stop?.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
