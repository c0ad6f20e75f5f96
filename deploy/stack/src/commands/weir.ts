import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { repositoryRoot } from '../paths.js';
import { type RunningStack, readRunningStack } from '../running-stack.js';
import { addressesEnv } from '../stack/process-specs.js';

/** Settings by which a person points the command line at something else than a running stack. */
const place = /^([A-Z]+_ADDRESS|DATABASE_URL|WEIR_URL)$/;
const telling = /^(help|-h|--help|-V|--version)$/;

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

/** Whether the command line can do something without a stack: it is told where things are, or asked for its help alone. */
export function needsNoStack(args: readonly string[], given: NodeJS.ProcessEnv): boolean {
  const isPointed = Object.entries(given).some(([name, value]) => place.test(name) && value);
  return isPointed || args.length === 0 || args.some((arg) => telling.test(arg));
}

/** `./dev weir …`: the operator's command line, pointed at the running stack; its exit code is passed on. */
export async function weir(environment: Environment, args: readonly string[]): Promise<number> {
  const stack = await readRunningStack(environment.runDirectory);
  if (stack === undefined && !needsNoStack(args, process.env)) throw new Error('nothing is running: ./dev up --detach');
  const child = spawn(process.execPath, [join(repositoryRoot, 'cli/dist/main.js'), ...args], {
    env: stack === undefined ? process.env : weirSettings(stack, process.env),
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
