import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { repositoryRoot } from '../paths.js';
import { type RunningStack, readRunningStack } from '../running-stack.js';
import { addressesEnv } from '../stack/process-specs.js';

/**
 * What the command line is told of a running stack: its services whatever is given, and what is the gateway's unless
 * another one is; the demo's key is for its own alone.
 */
export function weirSettings(stack: RunningStack, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { gatewayUrl, metricsUrl, addresses, servers, demo } = stack;
  return {
    ...(given['WEIR_URL'] === undefined && { WEIR_URL: gatewayUrl, WEIR_INGEST_KEY: demo.ingestKey }),
    ...(metricsUrl !== undefined && { WEIR_METRICS_URL: metricsUrl }),
    ...given,
    DATABASE_URL: servers.databaseUrl,
    ...addressesEnv(addresses),
  };
}

/** `./dev weir …`: the operator's command line, pointed at the running stack; its exit code is passed on. */
export async function weir(environment: Environment, args: readonly string[]): Promise<number> {
  const stack = await readRunningStack(environment.runDirectory);
  const child = spawn(process.execPath, [join(repositoryRoot, 'cli/dist/main.js'), ...args], {
    env: stack === undefined ? process.env : weirSettings(stack, process.env),
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
