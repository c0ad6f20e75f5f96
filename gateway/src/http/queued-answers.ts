import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes answers that wait for others of their connection when it ends: Node 22 closes only the one whose turn it is, and
 * what the rest hold would be held for ever.
 *
 * @returns what is told of every request
 */
export function closeQueuedAnswers(): (req: IncomingMessage, res: ServerResponse) => void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();

  const openQueue = (socket: Socket): Set<ServerResponse> => {
    const queue = new Set<ServerResponse>();
    socket.once('close', () => {
      for (const res of queue) {
        if (res.closed) continue;
        res.destroy();
        res.emit('close');
      }
    });
    queues.set(socket, queue);
    return queue;
  };

  return ({ socket }, res) => {
    if (res.socket !== null) return;
    const queue = queues.get(socket) ?? openQueue(socket);
    queue.add(res);
    res.once('socket', () => queue.delete(res));
  };
}
