import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** A connection on which bytes are sent as they are. */
export interface RawConnection {
  readonly socket: Socket;
  /** What was received so far. */
  readonly received: () => string;
  /** When the other side ended it. */
  readonly closed: Promise<unknown>;
}

/** Files that a process may have open at a time, connections among them. */
export function openFilesMax(): number {
  return Number(/^Max open files +[0-9]+ +([0-9]+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
}

/** Connections that fit between two addresses and a port. */
const perAddress = 20_000;

/**
 * Connects to a gateway of this machine, and waits until that is done.
 *
 * @param number - of this connection where there are many: they come from several addresses then
 */
export async function connectRaw(gatewayUrl: string, number = 0): Promise<RawConnection> {
  const { hostname, port } = new URL(gatewayUrl);
  const localAddress = `127.0.0.${1 + Math.floor(number / perAddress)}`;
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'connect'), closed]);
  return { socket, received: () => text, closed };
}
