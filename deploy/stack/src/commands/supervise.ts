import { type Environment, UsageError } from '../environment.js';
import { parseOptions } from '../parse-options.js';
import { superviseStack } from '../supervisor.js';

/** What a supervisor in the background tells the command that started it. */
export type SupervisorMessage = { readonly report: string } | { readonly ready: true } | { readonly failed: string };

/** Resolves when this process is asked to stop. */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}

/** The background half of `./dev up --detach`. */
export async function superviseInBackground(environment: Environment, args: readonly string[]): Promise<number> {
  parseOptions(args, {});
  if (process.send === undefined) throw new UsageError('./dev up --detach calls this');
  const tell = (message: SupervisorMessage): void => {
    if (process.connected) process.send?.(message);
  };
  const stopped = stopRequest();
  const supervised = await superviseStack(environment, (line) => {
    process.stderr.write(`${new Date().toISOString()} ${line}\n`);
    tell({ report: line });
  }).catch((error: Error) => {
    tell({ failed: error.message });
    throw error;
  });
  tell({ ready: true });
  await stopped;
  await supervised[Symbol.asyncDispose]();
  return 0;
}
