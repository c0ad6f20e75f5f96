import { randomInt } from 'node:crypto';
import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
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

/** A claim lasts for longer than a test in which somebody listens, ends, and is started again on the same port. */
const claimedMs = 600_000;

/** Where files are named by the claimed ports, in a directory for each such time. */
const claimsDirectory = (): string => join(tmpdir(), `weir-ports-${userInfo().uid}`);

/**
 * Makes a port that nobody listens on yet ours, where other stacks on this machine are starting too. A claim lasts for
 * its time and the next. It is never taken over, only forgotten with its time: two who found the same claim
 * expired would both take it.
 */
async function claim(port: number): Promise<boolean> {
  const claims = claimsDirectory();
  const now = Math.floor(Date.now() / claimedMs);
  const claimIn = (time: number): string => join(claims, String(time), String(port));
  if ((await mkdir(join(claims, String(now)), { recursive: true })) !== undefined) {
    const expired = (await readdir(claims)).filter((time) => Number(time) < now - 1);
    await Promise.all(expired.map((time) => rm(join(claims, time), { recursive: true, force: true })));
  }
  try {
    await (await open(claimIn(now), 'wx')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  // looked for after ours is made, on both sides: of two who claim as the time ends, at least one sees the other
  const others = [now - 1, now + 1].map((time) => access(claimIn(time)));
  return (await Promise.allSettled(others)).every(({ status }) => status === 'rejected');
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
