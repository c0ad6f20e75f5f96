import { createHash } from 'node:crypto';
import { DiscardPolicy, type JetStreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';

/** Lanes of work: points as they come, and what may wait (retries, files). */
export const lanes = ['live', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

/** Projects are spread over so many subjects of a lane, so that no one's backlog delays the others. */
export const shardCount = 4;

const shards = new Map<string, number>();
const knownShardsMax = 10_000;

/** The shard of a project, 0 to `shardCount` - 1. */
export function shardOf(projectId: string): number {
  let shard = shards.get(projectId);
  if (shard === undefined) {
    if (shards.size >= knownShardsMax) shards.clear();
    shard = createHash('md5').update(projectId).digest().readUInt32LE(0) % shardCount;
    shards.set(projectId, shard);
  }
  return shard;
}

/** Names on the server, all under one prefix. */
export interface StreamNames {
  readonly stream: string;
  /** The subject that the runs of a project are published on. */
  subject(lane: Lane, projectId: string): string;
  /** The subject and the durable consumer of one shard of a lane. */
  shard(lane: Lane, shard: number): { readonly subject: string; readonly consumer: string };
}

/** Names of the stream of runs for a deployment's prefix. */
export function runsStream(prefix: string): StreamNames {
  const subject = (lane: Lane, shard: number): string => `${prefix}.v1.${lane}.${shard}`;
  return {
    stream: `${prefix}_runs_v1`,
    subject: (lane, projectId) => subject(lane, shardOf(projectId)),
    shard: (lane, shard) => ({ subject: subject(lane, shard), consumer: `${prefix}_${lane}_${shard}` }),
  };
}

const dayNs = 24 * 60 * 60 * 1e9;

/**
 * Makes the work-queue stream of runs, or leaves it when it is there. It refuses new messages when
 * full: PostgreSQL is the record, and the sweeper brings back what was refused or lost.
 */
export async function ensureRunsStream(
  jsm: JetStreamManager,
  prefix: string,
  options: { readonly replicas: number; readonly bytesMax: number },
): Promise<void> {
  const names = runsStream(prefix);
  const config = {
    name: names.stream,
    subjects: lanes.flatMap((lane) =>
      Array.from({ length: shardCount }, (_, shard) => names.shard(lane, shard).subject),
    ),
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: options.replicas,
    max_bytes: options.bytesMax,
    max_age: 7 * dayNs,
    duplicate_window: 120 * 1e9,
  };
  const existing = await jsm.streams.info(names.stream).catch(() => undefined);
  await (existing === undefined ? jsm.streams.add(config) : jsm.streams.update(names.stream, config));
}

export { connectNats, followNats } from './connection.js';
