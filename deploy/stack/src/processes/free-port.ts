import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the kernel gives to outgoing connections, so that a port stays free while nobody listens. */
const portMin = 20_000;
const portMax = 32_000;

/** Whether nobody listens on a port of this machine. */
export function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portMax);
    if (await isFreePort(port)) return port;
  }
}

/** So many ports that nobody listens on, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
