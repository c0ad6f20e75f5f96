import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { BatchColumns } from './admissions.js';

/** Steps of files, one each, with the batches that they admit, as columns. */
export interface FileStepColumns {
  readonly steps: {
    readonly ids: readonly string[];
    readonly projectIds: readonly string[];
    readonly connectionIds: readonly string[];
    readonly positions: readonly number[];
    readonly nextPositions: readonly number[];
    readonly bytes: readonly number[];
    readonly rows: readonly number[];
    readonly points: readonly number[];
    readonly errors: readonly number[];
    readonly missing: readonly number[];
    readonly skipped: readonly number[];
    /** JSON; null leaves them as they are. */
    readonly rowErrors: readonly (string | null)[];
    /** JSON: those that are new, of which the ones that are known stay; null when there are none. */
    readonly zones: readonly (string | null)[];
  };
  readonly batches: BatchColumns & { readonly fileRunIds: readonly string[] };
  readonly expiresAtUs: number;
  readonly nowUs: number;
}

/**
 * Moves files on, each from the position where it is said to stand, and admits the batches of those that
 * stood there: the position and what it says was admitted are one commit, so that a file that is sent again
 * after any failure is gone on with exactly where it stopped. Rows are locked in one order everywhere. A
 * file may stand here once.
 *
 * @returns the batches that were admitted, in their order, by the file; one row without a batch for a file that has none
 */
export const advanceFiles = statement(
  z.object({ fileRunId: z.string(), batchId: z.number().optional(), publicId: z.string().optional() }),
  ({ steps, batches, expiresAtUs, nowUs }: FileStepColumns) => sql`
    with step as materialized (
      select * from unnest(
        ${steps.ids}::uuid[], ${steps.projectIds}::uuid[], ${steps.connectionIds}::uuid[],
        ${steps.positions}::bigint[], ${steps.nextPositions}::bigint[], ${steps.bytes}::bigint[],
        ${steps.rows}::bigint[], ${steps.points}::bigint[], ${steps.errors}::bigint[], ${steps.missing}::bigint[],
        ${steps.skipped}::bigint[], ${steps.rowErrors}::jsonb[], ${steps.zones}::jsonb[]
      ) as step (
        id, project_id, connection_id, position, next_position, bytes, rows, points, errors, missing, skipped,
        row_errors, zones
      )
    ), locked as materialized (
      select id from ingestion.file_runs
      where id = any(${steps.ids}::uuid[])
      order by id
      for update
    ), moved as (
      update ingestion.file_runs
      set position = step.next_position, bytes = step.bytes, rows = step.rows, points = step.points, errors = step.errors,
        missing = step.missing, skipped = step.skipped, row_errors = coalesce(step.row_errors, file_runs.row_errors),
        zones = case when step.zones is null then file_runs.zones else step.zones || file_runs.zones end,
        state = 'running', code = null, message = null, finished_at = null,
        expires_at = ${sqlInstant(expiresAtUs)}::timestamptz
      from step
      join locked on locked.id = step.id
      where file_runs.id = step.id and file_runs.project_id = step.project_id
        and file_runs.connection_id = step.connection_id and file_runs.position = step.position
        and (file_runs.state = 'running' or file_runs.code = 'file_interrupted')
      returning file_runs.id, file_runs.project_id, file_runs.connection_id
    ), ordered as (
      select given.*, moved.project_id, moved.connection_id
      from unnest(
        ${batches.fileRunIds}::uuid[], ${batches.publicIds}::uuid[], ${batches.provisionings}::text[],
        ${batches.runCounts}::smallint[], ${batches.shards}::smallint[], ${batches.traceparents}::text[],
        ${batches.requestIds}::text[], ${batches.bodyStarts}::int[], ${batches.bodyLengths}::int[]
      ) with ordinality as given (
        file_run_id, public_id, provisioning, run_count, shard, traceparent, request_id, body_start, body_length, number
      )
      join moved on moved.id = given.file_run_id
      order by given.number
    ), admitted as materialized (
      select nextval('ingestion.batches_id_seq') as id, ordered.* from ordered
    ), inserted as (
      insert into ingestion.batches (
        id, public_id, project_id, connection_id, run_count, provisioning, traceparent, request_id, body, file_run_id
      )
      select id, public_id, project_id, connection_id, run_count, provisioning, traceparent, request_id,
        substring(${batches.bodies}::bytea from body_start for body_length), file_run_id
      from admitted
      order by id
    ), queued as (
      insert into ingestion.queue (
        batch_id, public_id, project_id, connection_id, published_at, lane, shard, run_count, is_fresh, epoch
      )
      select id, public_id, project_id, connection_id, ${sqlInstant(nowUs)}::timestamptz, 'bulk', shard, run_count,
        true, 0
      from admitted
      order by id
    )
    select moved.id as file_run_id, admitted.id as batch_id, admitted.public_id
    from moved
    left join admitted on admitted.file_run_id = moved.id
    order by admitted.id`,
);
