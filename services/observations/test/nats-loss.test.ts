import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureRunsStream } from '@weir/kit/nats';
import { isServing } from '@weir/kit/rpc';
import { expect, test } from 'vitest';
import { manyPoints, queuedBatch, startUs } from './test-points.js';
import { testBench } from './test-processor.js';

const hasServer = spawnSync('nats-server', ['--version']).error === undefined;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A NATS server of this test's own, to be killed and to lose what it has stored. */
class PrivateNats implements AsyncDisposable {
  readonly #port: number;
  readonly #directory: string;
  #process: ChildProcess | undefined;

  constructor(port: number, directory: string) {
    this.#port = port;
    this.#directory = directory;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  start(): void {
    const args = ['-js', '-sd', this.#directory, '-a', '127.0.0.1', '-p', String(this.#port)];
    this.#process = spawn('nats-server', args, { stdio: 'ignore' });
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    if (this.#process !== undefined) await once(this.#process, 'exit');
    this.#process = undefined;
  }

  async wipe(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.wipe();
  }
}

test.skipIf(!hasServer)('a processor outlives NATS and all that NATS had stored', async () => {
  await using nats = new PrivateNats(await freePort(), await mkdtemp(join(tmpdir(), 'weir-nats-')));
  nats.start();
  await using bench = await testBench(nats.url);
  const publishWhenThere = async (batch: ReturnType<typeof queuedBatch>): Promise<void> => {
    const stream = { replicas: 1, bytesMax: bench.config.natsStreamBytesMax };
    for (;;) {
      try {
        await ensureRunsStream(bench.manager, bench.config.natsStreamPrefix, stream);
        await bench.publish([batch]);
        return;
      } catch {
        // not there yet
      }
    }
  };
  const first = queuedBatch(manyPoints(10, startUs));
  const second = queuedBatch(manyPoints(10, startUs + 10_000_000, 10));
  const third = queuedBatch(manyPoints(10, startUs + 20_000_000, 20));
  {
    await using processor = await bench.start();
    await publishWhenThere(first);
    await bench.drained([first]);
    await nats.kill();
    await nats.wipe();
    nats.start();
    await publishWhenThere(second);
    await bench.drained([second]);
    expect(await isServing(processor.address)).toBe(true);
  }
  await nats.kill();
  {
    // one that is started while NATS is away stays, and one that is stopped meanwhile ends
    await using processor = await bench.start();
    expect(await isServing(processor.address)).toBe(false);
    await using _ = await bench.start();
  }
  await using _ = await bench.start();
  nats.start();
  await publishWhenThere(third);
  await bench.drained([third]);
  const key = bench.peers.catalog.key('Logger', 'level');
  expect((await bench.stored(key)).map(([, value]) => value)).toEqual(Array.from({ length: 30 }, (_unused, i) => i));
});
