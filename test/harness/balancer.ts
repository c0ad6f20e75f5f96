import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What stands before several gateways as a Kubernetes Service does: it chooses for new connections, and leaves those there are alone. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Where new connections go, in turn: URLs. */
  targets: readonly string[];
}

/** Starts a balancer. */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const { hostname, port } = new URL(balancer.targets[taken++ % balancer.targets.length] ?? '');
    const gateway = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      keep(one);
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const balancer: Balancer = {
    url: `http://127.0.0.1:${port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}
