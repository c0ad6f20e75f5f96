import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { repositoryRoot } from '../paths.js';
import { readRunningStack } from '../running-stack.js';

/** `./dev weir …`: the operator's command line, pointed at the running stack; its exit code is passed on. */
export async function weir(environment: Environment, args: readonly string[]): Promise<number> {
  const stack = await readRunningStack(environment.runDirectory);
  const settings =
    stack === undefined
      ? {}
      : {
          DATABASE_URL: stack.servers.databaseUrl,
          ACCESS_ADDRESS: stack.addresses.access,
          VARIABLES_ADDRESS: stack.addresses.variables,
          DASHBOARDS_ADDRESS: stack.addresses.dashboards,
          PARSERS_ADDRESS: stack.addresses.parsers,
          INGESTION_ADDRESS: stack.addresses.ingestion,
          OBSERVATIONS_ADDRESS: stack.addresses.observations,
        };
  const child = spawn(process.execPath, [join(repositoryRoot, 'cli/dist/main.js'), ...args], {
    env: { ...process.env, ...settings },
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
