import { setTimeout as delay } from 'node:timers/promises';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { parseConfig } from '@weir/kit/config';
import type { StartedService } from '@weir/kit/lifecycle';
import { connectNats, ensureRunsStream, type Lane, runsStream, shardOf } from '@weir/kit/nats';
import { openPool, sql } from '@weir/kit/sql';
import { testServer } from '@weir/kit/testing';
import { type QueuedBatch, RunsMessage } from '@weir/proto/ingestion';
import { type ProcessorConfig, processorSettings } from '../src/config.js';
import { startProcessor } from '../src/service.js';
import { startPeers, type TestPeers } from './test-peers.js';
import { projectId } from './test-points.js';
import { silentLog, testDatabase, testPrefix } from './test-servers.js';

/** A processor that takes messages has one more after so long. */
const takingMs = 500;

/** One observation: instant in microseconds and value. */
export type Observation = readonly [atUs: number, value: number];

/** Real PostgreSQL and NATS, a processor's peers, and processors to start. */
export interface TestBench extends AsyncDisposable {
  readonly peers: TestPeers;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly config: ProcessorConfig;
  start(given?: Partial<ProcessorConfig>): Promise<StartedService>;
  publish(batches: readonly QueuedBatch[], lane?: Lane): Promise<void>;
  publishBytes(bytes: Uint8Array): Promise<void>;
  /** Waits until the batches are completed and nothing is left in the stream. */
  drained(batches: readonly QueuedBatch[]): Promise<void>;
  /** Waits until processors have taken all of the live messages that they will while they are kept from going on. */
  taken(): Promise<void>;
  stored(variableKey: number): Promise<Observation[]>;
  /** The public ids of the batches of which is kept what they are stored under, by transaction. */
  storedBatches(): Promise<unknown[]>;
  /** The instrument that the series of a variable is kept under. */
  instrumentOf(variableKey: number): Promise<unknown>;
}

/** Sets the bench up, on the NATS server of all tests unless another one is given. */
export async function testBench(natsUrl = testServer('NATS_URL'), bytesMax = 16 * 1024 * 1024): Promise<TestBench> {
  const database = await testDatabase();
  const peers = await startPeers();
  const connection = await connectNats(natsUrl, 'test');
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  const prefix = testPrefix();
  const names = runsStream(prefix);
  await ensureRunsStream(manager, prefix, { replicas: 1, bytesMax });
  const pool = openPool({ url: database.url, max: 1 });
  const config: ProcessorConfig = {
    ...parseConfig(processorSettings, {
      LISTEN_ADDRESS: '127.0.0.1:0',
      DATABASE_URL: database.url,
      NATS_URL: natsUrl,
      NATS_STREAM_PREFIX: prefix,
      VARIABLES_ADDRESS: peers.address,
      INGESTION_ADDRESS: peers.address,
    }),
    databasePoolMax: 4,
    natsStreamBytesMax: bytesMax,
    attemptsMax: 3,
    ackWaitMs: 1000,
    retryDelayMs: 10,
    statementTimeoutMs: 10_000,
    rollupIntervalMs: 60_000,
  };
  const publishBytes = async (bytes: Uint8Array, lane: Lane = 'live'): Promise<void> => {
    await client.publish(names.subject(lane, projectId), bytes);
  };
  return {
    peers,
    manager,
    stream: names.stream,
    config,
    start: (given) => startProcessor({ ...config, ...given }, silentLog),
    publish: (batches, lane) => publishBytes(RunsMessage.encode({ batches: [...batches] }).finish(), lane),
    publishBytes,
    async drained(batches) {
      await peers.runs.completed(batches.map(({ id }) => id));
      // acknowledgements follow the completion at once, and tell nobody
      while ((await manager.streams.info(names.stream)).state.messages > 0);
    },
    async taken() {
      const { consumer } = names.shard('live', shardOf(projectId));
      const count = async () => (await manager.consumers.info(names.stream, consumer)).num_ack_pending;
      for (let before = -1, now = await count(); now !== before; before = now, now = await count()) {
        await delay(takingMs);
      }
    },
    async stored(variableKey) {
      const { rows } = await pool.query(
        sql`select at, value from observations.observations where variable_key = ${variableKey} order by at`,
      );
      return rows.map(({ at, value }) => [at as number, value as number]);
    },
    async storedBatches() {
      const { rows } = await pool.query(sql`select public_ids from observations.stored_batches order by id`);
      return rows.map((row) => row['public_ids']);
    },
    async instrumentOf(variableKey) {
      const { rows } = await pool.query(
        sql`select instrument_id from observations.series where variable_key = ${variableKey}`,
      );
      return rows[0]?.['instrument_id'];
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      await manager.streams.delete(names.stream).catch(() => undefined);
      await connection.close();
      await peers[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
