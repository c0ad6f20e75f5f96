import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 20;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Resolves when a server accepts connections on a port. */
export async function acceptsConnections(port: number, signal: AbortSignal): Promise<void> {
  while (!(await accepts(port))) await sleep(pollMs, undefined, { signal });
}
