import { acceptsConnections } from '../processes/accepts-connections.js';
import type { ProcessSpec } from '../processes/run-process.js';
import { tiedToParent } from './account.js';
import type { ServerOptions } from './server-options.js';

/** URL of the private Redis. */
export function redisUrl({ port, password }: ServerOptions): string {
  return `redis://:${password}@127.0.0.1:${port}`;
}

/** Redis that keeps nothing on disk: limits may be forgotten. */
export function redisSpec(binary: string, options: ServerOptions): ProcessSpec {
  const { port, password, directory } = options;
  const [command, args] = tiedToParent(binary, ['-'], 'SIGINT');
  const settings = {
    bind: '127.0.0.1',
    port,
    requirepass: password,
    save: '""',
    appendonly: 'no',
    daemonize: 'no',
    dir: JSON.stringify(directory),
  };
  return {
    ...options,
    name: 'redis',
    command,
    args,
    // by standard input, so that no list of processes shows the password
    input: Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
    ready: (signal) => acceptsConnections(port, signal),
  };
}
