import { randomInt } from 'node:crypto';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

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

/** Whoever was given a port listens on it within this time. */
const claimedMs = 60_000;

/** Makes a port that nobody listens on yet ours, where other stacks on this machine are starting too. */
async function claim(port: number): Promise<boolean> {
  const directory = join(tmpdir(), `weir-ports-${userInfo().uid}`);
  const file = join(directory, String(port));
  await mkdir(directory, { recursive: true });
  const claimed = await stat(file).catch(() => undefined);
  if (claimed !== undefined) {
    if (Date.now() - claimed.mtimeMs < claimedMs) return false;
    await rm(file, { force: true });
  }
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A port that nobody listens on, nor is about to. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portMax);
    if ((await isFreePort(port)) && (await claim(port))) return port;
  }
}

/** So many ports that nobody listens on, nor is about to, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
