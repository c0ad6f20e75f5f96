import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether there is a NATS server to start. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).error === undefined;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A NATS server of a test's own, to be killed and to lose what it has stored. */
export class PrivateNats implements AsyncDisposable {
  readonly #port: number;
  /** Where it keeps what it stores. */
  readonly directory: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, directory: string) {
    this.#port = port;
    this.directory = directory;
  }

  /** Starts it on a free port, with a directory that goes with it, and a password as `start` takes it. */
  static async start(password?: string): Promise<PrivateNats> {
    const nats = new PrivateNats(await freePort(), await mkdtemp(join(tmpdir(), 'weir-nats-')));
    nats.start(password);
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  /** @param password - of the user `weir`, which alone it lets in; everybody unless given */
  start(password?: string): void {
    const args = ['-js', '-sd', this.directory, '-a', '127.0.0.1', '-p', String(this.#port)];
    if (password !== undefined) args.push('--user', 'weir', '--pass', password);
    this.#process = spawn('nats-server', args, { stdio: 'ignore' });
  }

  /** Ends it at once, or (by another signal) as it likes to end. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#process?.kill(signal);
    if (this.#process !== undefined) await once(this.#process, 'exit');
    this.#process = undefined;
  }

  async wipe(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.wipe();
  }
}
