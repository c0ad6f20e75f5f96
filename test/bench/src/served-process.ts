import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a module that serves in a process of its own, so that client and server have a processor each, and tells its
 * address.
 *
 * @throws Error when it ends before that
 */
export async function startServed(
  module: URL,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly address: string } & AsyncDisposable> {
  const child = fork(module, { env });
  const ended = once(child, 'exit');
  const told = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  if (told === undefined) throw new Error(`${module} ended with ${child.exitCode ?? child.signalCode}`);
  return {
    address: told[0] as string,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
