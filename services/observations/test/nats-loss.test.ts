import { ensureRunsStream } from '@weir/kit/nats';
import { isServing, whyNotServing } from '@weir/kit/rpc';
import { hasNatsServer, PrivateNats } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { manyPoints, queuedBatch, startUs } from './test-points.js';
import { testBench } from './test-processor.js';

test.skipIf(!hasNatsServer)('a processor outlives NATS and all that NATS had stored', async () => {
  await using nats = await PrivateNats.start();
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
    expect(await whyNotServing(processor.address)).toBe('NATS is not connected');
    await using _ = await bench.start();
  }
  await using _ = await bench.start();
  nats.start();
  await publishWhenThere(third);
  await bench.drained([third]);
  const key = bench.peers.catalog.key('Logger', 'level');
  expect((await bench.stored(key)).map(([, value]) => value)).toEqual(Array.from({ length: 30 }, (_unused, i) => i));
});
