import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** A gateway in a process of its own. */
export interface ForkedGateway extends AsyncDisposable {
  readonly port: number;
  /** Ends it with -9. */
  kill(): Promise<void>;
}

/** Starts a gateway as it is built, with these settings and no others. */
export async function forkGateway(env: Readonly<Record<string, string>>): Promise<ForkedGateway> {
  const child = fork(main, { env: { ...env, LISTEN_ADDRESS: '127.0.0.1:0' }, silent: true });
  const [{ address }] = (await once(child, 'message')) as [{ address: string }];
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { port: Number(address.slice(address.lastIndexOf(':') + 1)), kill, [Symbol.asyncDispose]: kill };
}
