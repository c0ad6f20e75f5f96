import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Scope } from '../domain/scope.js';
import { batchColumns, listedBatch } from './runs.js';

const wholeBatch = listedBatch.extend({
  variableIds: z.instanceof(Buffer).optional(),
  fileRunId: z.string().optional(),
  body: z.instanceof(Buffer),
});

/** A batch with its points. */
export const selectBatch = statement(
  wholeBatch,
  ({ projectId, connectionId, publicId }: Scope & { publicId: string }) => sql`
    select ${batchColumns}, results.variable_ids, batches.file_run_id, batches.body
    from ingestion.batches
    left join ingestion.batch_results as results on results.batch_id = batches.id
    left join ingestion.queue on queue.batch_id = batches.id
    where batches.public_id = ${publicId}::uuid
      and (${projectId} = '' or batches.project_id = nullif(${projectId}, '')::uuid)
      and (${connectionId} = '' or batches.connection_id = nullif(${connectionId}, '')::uuid)`,
);

/** The batches that have some numbers now. */
export const selectKnown = statement(
  z.object({ batchId: z.number(), publicId: z.string() }),
  ({ ids }: { ids: readonly number[] }) => sql`
    select id as batch_id, public_id from ingestion.batches where id = any(${ids}::bigint[])`,
);

/** The packed points of a batch, of whatever public id where none is said. */
export const selectBody = statement(
  z.object({ body: z.instanceof(Buffer) }),
  ({ id, publicId }: { id: number; publicId: string | null }) => sql`
    select body from ingestion.batches
    where id = ${id}::bigint and public_id = coalesce(${publicId}::uuid, public_id)`,
);

/** The packed points of batches. */
export const selectBodies = statement(
  z.object({ id: z.number(), body: z.instanceof(Buffer) }),
  ({ ids }: { ids: readonly number[] }) => sql`select id, body from ingestion.batches where id = any(${ids}::bigint[])`,
);

/** The numbers of batches by their public ids, in no order; those that are not there are left out. */
export const selectBatchIds = statement(
  z.object({ id: z.number() }),
  ({ projectId, connectionId, publicIds }: Scope & { publicIds: readonly string[] }) => sql`
    select id
    from ingestion.batches
    where public_id = any(${publicIds}::uuid[])
      and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)
      and (${connectionId} = '' or connection_id = nullif(${connectionId}, '')::uuid)`,
);

/** What the stream carries of a batch. */
export const publication = z.object({
  id: z.number(),
  publicId: z.string(),
  projectId: z.string(),
  connectionId: z.string(),
  provisioning: z.string(),
  traceparent: z.string(),
  requestId: z.string(),
  body: z.instanceof(Buffer),
});

/**
 * What the stream carries of batches that are published again. Bodies beyond `bytesMax` in all are
 * left empty: a processor fetches them.
 */
export const selectPublications = statement(
  publication,
  ({ ids, bytesMax }: { ids: readonly number[]; bytesMax: number }) => sql`
    select id, public_id, project_id, connection_id, provisioning, traceparent, request_id,
      case when sum(octet_length(body)) over (order by id) <= ${bytesMax}::bigint then body else '' end as body
    from ingestion.batches
    where id = any(${ids}::bigint[])
    order by id`,
);
