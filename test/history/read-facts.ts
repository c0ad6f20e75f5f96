import { type Db, sql } from '@weir/kit/sql';
import { apiOf } from '../harness/api.js';
import type { Tenant } from '../harness/tenant.js';
import { usOf } from '../model/world.js';
import type { Device } from './device.js';
import type { Facts, Stored, StoredBatch } from './history.js';

/** Where facts are read from: the database, and the public API beside it. */
export interface Sources {
  readonly database: Db;
  readonly gatewayUrl: string;
  readonly tenant: Tenant;
  readonly devices: readonly Device[];
  /** Messages that are in the stream now. */
  readonly messages: () => Promise<number>;
  readonly runs: Facts['runs'];
}

async function readBatches(database: Db, connectionId: string): Promise<StoredBatch[]> {
  const { rows } = await database.query(sql`
    select batches.id, batches.public_id, batches.run_count, keys.key, results.finished_at is not null as is_finished
    from ingestion.batches
    left join ingestion.idempotency_keys as keys on keys.batch_id = batches.id
    left join ingestion.batch_results as results on results.batch_id = batches.id
    where batches.connection_id = ${connectionId}::uuid`);
  return rows.map((row) => ({
    batchId: String(row['public_id']),
    number: Number(row['id']),
    key: row['key'] === null ? undefined : String(row['key']),
    runCount: Number(row['run_count']),
    isFinished: row['is_finished'] === true,
  }));
}

async function readDeviations(database: Db, connectionId: string): Promise<Facts['deviations']> {
  const { rows } = await database.query(sql`
    select run_id, state, code from ingestion.run_deviations where connection_id = ${connectionId}::uuid`);
  return new Map(
    rows.map(({ run_id, state, code }) => [
      String(run_id),
      { state: String(state), code: code === null ? undefined : String(code) },
    ]),
  );
}

/** Reads all that a history is checked against. */
export async function readFacts({ database, gatewayUrl, tenant, devices, messages, runs }: Sources): Promise<Facts> {
  const api = apiOf(gatewayUrl, tenant);
  const read = async (variableId: string): Promise<Stored> => {
    const { timestamps, values } = await api.observations(variableId);
    return timestamps.map((instant, at) => [usOf(instant), values[at] as number] as const);
  };
  const countRows = async (variableId: string): Promise<number> => {
    const { rows } = await database.query(sql`
      select count(*) as count from observations.observations
      where variable_key = (select variable_key from variables.variables where id = ${variableId}::uuid)`);
    return Number(rows[0]?.['count']);
  };
  const { rows: queued } = await database.query(sql`
    select count(*) as count from ingestion.queue where connection_id = ${tenant.connectionId}::uuid`);
  const measured = new Map<string, Stored>();
  const calculated = new Map<string, Stored>();
  const rows = new Map<string, number>();
  for (const { name, measuredId, calculatedId } of devices) {
    measured.set(name, await read(measuredId));
    calculated.set(name, await read(calculatedId));
    rows.set(name, await countRows(measuredId));
  }
  return {
    batches: await readBatches(database, tenant.connectionId),
    deviations: await readDeviations(database, tenant.connectionId),
    queued: Number(queued[0]?.['count']),
    messages: await messages(),
    measured,
    calculated,
    rows,
    runs,
  };
}
