import { startIngestion } from '@weir/ingestion';
import { settings } from '@weir/ingestion/config';
import { parseConfig } from '@weir/kit/config';
import { newId, parseRunId, runId } from '@weir/kit/ids';
import { createLogger } from '@weir/kit/log';
import { connect } from '@weir/kit/rpc';
import { openPool, sql } from '@weir/kit/sql';
import { createTestDatabase, deleteStream, testServer } from '@weir/kit/testing';
import { PointsPacker } from '@weir/points';
import { IngestionServiceDefinition, RunState } from '@weir/proto/ingestion';

const archived = { code: 'instrument_archived', message: 'The instrument is archived; restore it and retry the run.' };

/** A running ingestion service with a database of its own, and the environment that reaches it. */
export async function startedIngestion() {
  const database = await createTestDatabase('ingestion');
  const natsUrl = testServer('NATS_URL');
  const prefix = `test_${newId()}`;
  const environment = {
    DATABASE_URL: database.url,
    NATS_URL: natsUrl,
    NATS_STREAM_PREFIX: prefix,
    LISTEN_ADDRESS: '127.0.0.1:0',
  };
  const config = parseConfig(settings, environment);
  const service = await startIngestion(config, createLogger('ingestion', 'silent'));
  const client = connect(IngestionServiceDefinition, service.address);
  const pool = openPool({ url: database.url, max: 1 });

  /** The number that processors know a batch by. */
  const numberOf = async (batchId: string): Promise<number> => {
    const { rows } = await pool.query(sql`select id from ingestion.batches where public_id = ${batchId}`);
    return Number(rows[0]?.['id']);
  };

  /** Lets a run that was queued again so many times fail once more. */
  const failAgain = async (id: string, epoch: number): Promise<void> => {
    const { batchId, index } = parseRunId(id);
    const deviations = [{ index, state: RunState.FAILED, error: archived }];
    await client.completeRuns({ batches: [{ id: await numberOf(batchId), indexes: [index], deviations, epoch }] });
  };

  /** Admits points of one connection; the outcome of those in `failed` is that their instrument is archived. */
  const admit = async (
    scope: { projectId: string; connectionId: string },
    count: number,
    failed: readonly number[],
  ) => {
    const packer = new PointsPacker();
    for (let index = 0; index < count; index++) {
      packer.beginPoint(1_700_000_000_000_000 + index, undefined, 'Alder Weir');
      packer.addValue('Stage', index);
    }
    const body = Buffer.from(packer.pack());
    const { admissions } = await client.admit({ submissions: [{ ...scope, provisioning: 'automatic', body }] });
    const batchId = admissions[0]?.batchId ?? '';
    if (failed.length > 0) {
      const deviations = failed.map((index) => ({ index, state: RunState.FAILED, error: archived }));
      await client.completeRuns({ batches: [{ id: await numberOf(batchId), deviations }] });
    }
    return Array.from({ length: count }, (_, index) => runId(batchId, index));
  };
  return {
    env: { INGESTION_ADDRESS: service.address } as const,
    databaseUrl: database.url,
    newScope: () => ({ projectId: newId(), connectionId: newId() }),
    admit,
    failAgain,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
      await deleteStream(natsUrl, prefix).catch(() => undefined);
      await pool[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
