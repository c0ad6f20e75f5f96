import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type Mode = 'pass' | 'hold' | 'refuse';

/** A TCP proxy before a real Redis that can hold everything back, or refuse connections. */
export interface RedisProxy extends AsyncDisposable {
  readonly url: string;
  /** `pass` as usual; `hold` accepts and passes nothing on until it passes all; `refuse` drops connections. */
  setMode(mode: Mode): void;
}

/** Starts a proxy on a free port before the Redis at a URL. */
export async function startRedisProxy(redisUrl: string): Promise<RedisProxy> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let mode: Mode = 'pass';
  const server = createServer((client) => {
    if (mode === 'refuse') return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    }
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => client.write(chunk));
    if (mode === 'hold') client.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // with the credentials of the server behind it
  const url = new URL(redisUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    setMode(next) {
      mode = next;
      for (const socket of sockets) {
        if (mode === 'refuse') socket.destroy();
        else if (mode === 'hold') socket.pause();
        else socket.resume();
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
