import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { parseConfig } from '@weir/kit/config';
import { newId } from '@weir/kit/ids';
import { createLogger } from '@weir/kit/log';
import { connectNats, type Lane, runsStream } from '@weir/kit/nats';
import { connect } from '@weir/kit/rpc';
import { openPool, type Pool } from '@weir/kit/sql';
import { createTestDatabase, testServer } from '@weir/kit/testing';
import { IngestionServiceDefinition, type QueuedBatch, RunsMessage, type Submission } from '@weir/proto/ingestion';
import { settings } from '../src/config.js';
import { startIngestion } from '../src/service.js';
import { packedPoints } from './packed-points.js';

/** Settings that a test changes, by environment variable. */
type Env = Readonly<Record<string, string>>;

/** A submission of `count` points of a project and connection; all of it may be changed. */
export function submission(scope: Scope, count: number, changes: Partial<Submission> = {}): Submission {
  return {
    ...scope,
    idempotencyKey: '',
    provisioning: 'automatic',
    body: packedPoints(count),
    traceparent: '',
    requestId: 'test',
    ...changes,
  };
}

export interface Scope {
  readonly projectId: string;
  readonly connectionId: string;
}

export const newScope = (): Scope => ({ projectId: newId(), connectionId: newId() });

/** Starts the service on a database, and a client of it. */
export async function startClient(databaseUrl: string, prefix: string, env: Env = {}) {
  const config = parseConfig(settings, {
    LISTEN_ADDRESS: '127.0.0.1:0',
    DATABASE_URL: databaseUrl,
    NATS_URL: testServer('NATS_URL'),
    NATS_STREAM_PREFIX: prefix,
    NATS_STREAM_BYTES_MAX: '67108864',
    LOG_LEVEL: 'error',
    ...env,
  });
  const service = await startIngestion(config, createLogger('ingestion', config.logLevel));
  const client = connect(IngestionServiceDefinition, service.address);
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Tries until it succeeds: for what a part makes in the background. */
export async function eventually<T>(attempt: () => Promise<T>, timeoutMs = 15_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(15);
    }
  }
}

/** A stream of a test's own, as a processor sees it. */
async function testStream(natsUrl = testServer('NATS_URL')) {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const names = runsStream(prefix);
  const connection = await connectNats(natsUrl, 'test');
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  const remove = (): Promise<unknown> => manager.streams.delete(names.stream).catch(() => undefined);
  return {
    prefix,
    manager,
    names,
    remove,
    /** Batches of the next message of a lane, acknowledged. */
    async next(lane: Lane): Promise<QueuedBatch[]> {
      const consumer = `test_${lane}`;
      const config = {
        durable_name: consumer,
        filter_subject: `${prefix}.v1.${lane}.*`,
        ack_policy: AckPolicy.Explicit,
      };
      // a pull may break when the stream is lost under it
      const message = await eventually(async () => {
        await manager.consumers.add(names.stream, config);
        const pulled = await (await client.consumers.get(names.stream, consumer)).next({ expires: 2000 });
        if (pulled === null) throw new Error(`nothing came on ${lane}`);
        return pulled;
      });
      await message.ackAck();
      return RunsMessage.decode(message.data).batches;
    },
    async messages(): Promise<number> {
      return (await manager.streams.info(names.stream)).state.messages;
    },
    async [Symbol.asyncDispose]() {
      await remove();
      await connection.close();
    },
  };
}

/** The service with a database and a stream of its own, on the NATS server of all tests unless another one is given. */
export async function testIngestion(env: Env = {}, natsUrl?: string) {
  await using made = new AsyncDisposableStack();
  const database = made.use(await createTestDatabase('ingestion'));
  const stream = made.use(await testStream(natsUrl));
  const pool: Pool = made.use(openPool({ url: database.url, max: 2 }));
  const { client } = made.use(await startClient(database.url, stream.prefix, env));
  // until then an admission is left to the sweeper
  if (env['NATS_URL'] === undefined) await eventually(() => stream.messages());
  const stack = made.move();
  return {
    client,
    pool,
    stream,
    databaseUrl: database.url,
    /** Admits one submission and answers its batch id. */
    async admit(given: Submission): Promise<string> {
      const { admissions } = await client.admit({ submissions: [given] });
      return admissions[0]?.batchId ?? '';
    },
    /** The number that the stream knows a batch by. */
    async numberOf(batchId: string): Promise<number> {
      const { rows } = await pool.query({
        text: 'select id from ingestion.batches where public_id = $1',
        values: [batchId],
      });
      return Number(rows[0]?.['id']);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type TestIngestion = Awaited<ReturnType<typeof testIngestion>>;
