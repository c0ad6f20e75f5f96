import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptsConnections } from '../processes/accepts-connections.js';
import type { ProcessSpec } from '../processes/run-process.js';
import { tiedToParent } from './account.js';
import type { ServerOptions } from './server-options.js';

const user = 'weir';

/** URL of the private NATS. */
export function natsUrl({ port, password }: ServerOptions): string {
  return `nats://${user}:${password}@127.0.0.1:${port}`;
}

/** NATS with JetStream on disk. */
export function natsSpec(binary: string, options: ServerOptions): ProcessSpec {
  const { port, password, directory } = options;
  const configFile = join(directory, 'nats.conf');
  const config = {
    host: '127.0.0.1',
    port,
    authorization: { user, password },
    jetstream: { store_dir: join(directory, 'nats') },
  };
  writeFileSync(configFile, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  const [command, args] = tiedToParent(binary, ['-c', configFile], 'SIGINT');
  return { ...options, name: 'nats', command, args, ready: (signal) => acceptsConnections(port, signal) };
}
