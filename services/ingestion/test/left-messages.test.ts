import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { connectNats } from '@weir/kit/nats';
import { hasNatsServer, PrivateNats } from '@weir/kit/testing';
import { RunsMessage } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { eventually, newScope, submission, testIngestion } from './test-ingestion.js';

test.skipIf(!hasNatsServer)(
  'J1: messages that NATS has left over from before it was killed hide nothing that it loses later',
  async () => {
    await using nats = await PrivateNats.start();
    const settings = { SWEEP_INTERVAL_MS: '20', SWEEP_AFTER_MS: '200', NATS_URL: nats.url };
    await using it = await testIngestion(settings, nats.url);
    await using connection = Object.assign(await connectNats(nats.url, 'processor'), {
      [Symbol.asyncDispose]: () => connection.close(),
    });
    const scope = newScope();
    await it.admit(submission(scope, 1));
    await eventually(async () => expect(await it.stream.messages()).toBe(1));

    // as a processor does: what is completed is acknowledged last
    const { manager, names } = it.stream;
    const shard = Number(names.subject('live', scope.projectId).at(-1));
    const { subject, consumer } = names.shard('live', shard);
    const take = async () => {
      const message = await (await jetstream(connection).consumers.get(names.stream, consumer)).next({ expires: 5000 });
      const [batch] = message === null ? [] : RunsMessage.decode(message.data).batches;
      if (batch === undefined) throw new Error('nothing came');
      await it.client.completeRuns({ batches: [{ id: batch.id, epoch: batch.epoch }] });
      await message?.ackAck();
      return batch;
    };
    const stored = join(nats.directory, 'jetstream/$G/streams', names.stream, 'msgs');
    const restart = async (change: () => Promise<void>) => {
      await nats.kill('SIGTERM');
      await change();
      nats.start();
      await eventually(() => it.stream.messages());
    };
    await manager.consumers.add(names.stream, {
      durable_name: consumer,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
    });
    // what is stored of it comes back, and what is stored of its acknowledgement stays: so a kill may leave them
    await restart(() => cp(stored, `${nats.directory}-copy`, { recursive: true }));
    await eventually(take);
    await eventually(async () => expect(await it.stream.messages()).toBe(0));
    await restart(async () => {
      await rm(stored, { recursive: true });
      await cp(`${nats.directory}-copy`, stored, { recursive: true });
      await rm(`${nats.directory}-copy`, { recursive: true });
    });

    const later = await eventually(() => it.admit(submission(scope, 1)));
    const lost = await it.numberOf(later);
    await eventually(async () => {
      const { last_seq } = (await manager.streams.info(names.stream)).state;
      // that of the later one alone: 1 is what was left
      expect(last_seq).toBeGreaterThan(1);
      await manager.streams.deleteMessage(names.stream, last_seq);
    });
    const again = await eventually(async () => {
      const batch = await take();
      if (batch.id !== lost) throw new Error('another batch');
      return batch;
    });
    expect(again.epoch).toBeGreaterThan(0);
    await eventually(async () => expect(await it.stream.messages()).toBe(0));
  },
);
