import { connect, createServer, type Server, type Socket } from 'node:net';

/** A server in front of another that can be away and come back at the same address. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Refuses new connections and breaks those there are. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** Puts a proxy in front of host:port; it begins up. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let ownPort = 0;
  const up = async (): Promise<void> => {
    const made = createServer((socket) => {
      const target = connect(port, host);
      for (const [one, other] of [
        [socket, target],
        [target, socket],
      ] as const) {
        sockets.add(one);
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
        one.on('error', () => undefined);
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => made.listen(ownPort, '127.0.0.1', resolve));
    ownPort = (made.address() as { port: number }).port;
    server = made;
  };
  const down = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await up();
  return { port: ownPort, up, down, [Symbol.asyncDispose]: down };
}
