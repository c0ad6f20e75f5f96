import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { connectNats } from '@weir/kit/nats';
import { hasNatsServer, PrivateNats } from '@weir/kit/testing';
import { RunsMessage } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { eventually, newScope, submission, testIngestion } from './test-ingestion.js';

/** The service with a server whose files may be put back to what they were, as a kill may leave them. */
async function left() {
  await using made = new AsyncDisposableStack();
  const nats = made.use(await PrivateNats.start());
  const settings = { SWEEP_INTERVAL_MS: '20', SWEEP_AFTER_MS: '200', NATS_URL: nats.url };
  const it = made.use(await testIngestion(settings, nats.url));
  const connection = await connectNats(nats.url, 'processor');
  made.defer(() => connection.close());
  const scope = newScope();
  const { manager, names } = it.stream;
  const shard = Number(names.subject('live', scope.projectId).at(-1));
  const { subject, consumer } = names.shard('live', shard);
  const stored = join(nats.directory, 'jetstream/$G/streams', names.stream, 'msgs');
  const copy = `${nats.directory}-copy`;
  const restart = async (change: () => Promise<void>): Promise<void> => {
    await nats.kill('SIGTERM');
    await change();
    nats.start();
    await eventually(() => it.stream.messages());
  };
  const take = async () => {
    const message = await (await jetstream(connection).consumers.get(names.stream, consumer)).next({ expires: 5000 });
    const [batch] = message === null ? [] : RunsMessage.decode(message.data).batches;
    if (message === null || batch === undefined) throw new Error('nothing came');
    /** As a processor does: what is completed is acknowledged last. */
    const finish = async (): Promise<void> => {
      await it.client.completeRuns({ batches: [{ id: batch.id, epoch: batch.epoch }] });
      await message.ackAck();
    };
    return { batch, finish };
  };
  const stack = made.move();
  return {
    it,
    scope,
    /** Admits a batch; its message is stored when this resolves. */
    async admit() {
      const { last_seq } = (await manager.streams.info(names.stream)).state;
      const batchId = await it.admit(submission(scope, 1));
      await eventually(async () => expect(await this.lastSequence()).toBeGreaterThan(last_seq));
      return batchId;
    },
    lastSequence: async () => (await manager.streams.info(names.stream)).state.last_seq,
    consume: () =>
      manager.consumers.add(names.stream, {
        durable_name: consumer,
        filter_subject: subject,
        ack_policy: AckPolicy.Explicit,
      }),
    take,
    keep: () => restart(() => cp(stored, copy, { recursive: true })),
    /** What is stored of messages comes back, and what is stored of their acknowledgement stays. */
    putBack: () =>
      restart(async () => {
        await rm(stored, { recursive: true });
        await cp(copy, stored, { recursive: true });
        await rm(copy, { recursive: true });
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test.skipIf(!hasNatsServer)(
  'J1: messages that NATS has left over from before it was killed hide nothing that it loses later',
  async () => {
    await using given = await left();
    const { it, scope } = given;
    await given.admit();
    await given.consume();
    await given.keep();
    await (await eventually(given.take)).finish();
    await eventually(async () => expect(await it.stream.messages()).toBe(0));
    await given.putBack();

    const later = await eventually(() => it.admit(submission(scope, 1)));
    const lost = await it.numberOf(later);
    await eventually(async () => {
      const last = await given.lastSequence();
      // that of the later one alone: 1 is what was left
      expect(last).toBeGreaterThan(1);
      await it.stream.manager.streams.deleteMessage(it.stream.names.stream, last);
    });
    const again = await eventually(async () => {
      const { batch, finish } = await given.take();
      await finish();
      if (batch.id !== lost) throw new Error('another batch');
      return batch;
    });
    expect(again.epoch).toBeGreaterThan(0);
    await eventually(async () => expect(await it.stream.messages()).toBe(0));
  },
);

test.skipIf(!hasNatsServer)(
  'J1: a message that NATS has left over goes, though one before it was not acknowledged yet',
  async () => {
    await using given = await left();
    const { it } = given;
    const [earlier, later] = [await given.admit(), await given.admit()];
    await given.consume();
    await given.keep();
    const first = await eventually(given.take);
    const second = await given.take();
    expect([first.batch.id, second.batch.id]).toEqual([await it.numberOf(earlier), await it.numberOf(later)]);
    await second.finish();
    await given.putBack();
    await eventually(first.finish);
    await eventually(async () => expect(await it.stream.messages()).toBe(0));
  },
);
