import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createInstruments } from '@weir/kit/metrics';
import { metrics } from '../metrics.js';

/**
 * Bounds the connections of a server. One that comes beyond the bound takes the place of the one that has had no request
 * in progress for the longest, so that connections which are only held shut nobody out; where all have one, it is closed.
 *
 * @returns how many there are
 */
export function boundConnections(server: Server, max: number): () => number {
  const { connectionsClosed } = createInstruments(metrics);
  const idle = new Set<Socket>();
  /** Requests in progress: there are several where a client does not wait for answers. */
  const busy = new Map<Socket, number>();

  server.on('connection', (socket) => {
    if (idle.size + busy.size >= max) {
      connectionsClosed.add(1);
      const [longest = socket] = idle;
      idle.delete(longest);
      longest.destroy();
      if (longest === socket) return;
    }
    idle.add(socket);
    socket.once('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });

  const begin = ({ socket }: IncomingMessage, res: ServerResponse): void => {
    idle.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    res.once('close', () => {
      const left = (busy.get(socket) ?? 0) - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket)) idle.add(socket);
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, begin);
  return () => idle.size + busy.size;
}
