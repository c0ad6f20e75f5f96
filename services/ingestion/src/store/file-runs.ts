import { sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Scope } from '../domain/scope.js';

const state = z.enum(['running', 'succeeded', 'partially_succeeded', 'failed']);

const rowErrors = z.array(
  z.object({
    line: z.number(),
    column: z.number().optional(),
    code: z.string(),
    message: z.string(),
    raw: z.string(),
  }),
);

const listedFileRun = z.object({
  id: z.string(),
  projectId: z.string(),
  connectionId: z.string(),
  parserId: z.string(),
  parserVersion: z.number(),
  fileName: z.string(),
  siteId: z.string().optional(),
  state,
  code: z.string().optional(),
  message: z.string().optional(),
  attempts: z.number(),
  position: z.number(),
  bytes: z.number(),
  bytesTotal: z.number().optional(),
  rows: z.number(),
  points: z.number(),
  errors: z.number(),
  missing: z.number(),
  skipped: z.number(),
  finishedAtUs: z.number().optional(),
});

const fileRun = listedFileRun.extend({ rowErrors });

const openFileRun = fileRun.extend({ configuration: z.string(), zones: z.record(z.string(), z.string()) });

/** The run of a file as lists have it. */
export type ListedFileRun = z.output<typeof listedFileRun>;

/** The run of a file with its row errors. */
export type FileRun = z.output<typeof fileRun>;

/** The run of a file with what it is read by. */
export type OpenFileRun = z.output<typeof openFileRun>;

/** Makes the run of a file, unless it is there or its key is taken. */
export const insertFileRun = statement(
  z.object({}),
  (file: {
    id: string;
    projectId: string;
    connectionId: string;
    idempotencyKey: string | null;
    parserId: string;
    parserVersion: number;
    configuration: string;
    fileName: string;
    siteId: string | null;
    bytesTotal: number | null;
    expiresAtUs: number;
  }) => sql`
    insert into ingestion.file_runs (
      id, project_id, connection_id, idempotency_key, parser_id, parser_version, configuration, file_name, site_id,
      bytes_total, expires_at
    )
    values (
      ${file.id}, ${file.projectId}, ${file.connectionId}, ${file.idempotencyKey}, ${file.parserId},
      ${file.parserVersion}, ${file.configuration}, ${file.fileName}, ${file.siteId}, ${file.bytesTotal},
      ${sqlInstant(file.expiresAtUs)}
    )
    on conflict do nothing`,
);

/** The run of the file that a key of a connection means. */
export const selectFileByKey = statement(
  openFileRun,
  ({ projectId, connectionId, idempotencyKey }: Scope & { idempotencyKey: string }) => sql`
    select id, project_id, connection_id, parser_id, parser_version, file_name, site_id, state, code, message, attempts,
      position, bytes, bytes_total, rows, points, errors, missing, skipped, finished_at as finished_at_us, row_errors,
      configuration, zones
    from ingestion.file_runs
    where project_id = ${projectId}::uuid and connection_id = ${connectionId}::uuid
      and idempotency_key = ${idempotencyKey}`,
);

/** Notes that a further request goes on with a file that has not come to its end. */
export const resumeFileRun = statement(
  z.object({}),
  ({ projectId, id, expiresAtUs }: { projectId: string; id: string; expiresAtUs: number }) => sql`
    update ingestion.file_runs
    set state = 'running', code = null, message = null, finished_at = null, attempts = attempts + 1,
      expires_at = ${sqlInstant(expiresAtUs)}::timestamptz
    where project_id = ${projectId}::uuid and id = ${id}::uuid and (state = 'running' or code = 'file_interrupted')`,
);

/** The run of a file. */
export const selectFileRun = statement(
  fileRun,
  ({ projectId, connectionId, id }: Scope & { id: string }) => sql`
    select id, project_id, connection_id, parser_id, parser_version, file_name, site_id, state, code, message, attempts,
      position, bytes, bytes_total, rows, points, errors, missing, skipped, finished_at as finished_at_us, row_errors
    from ingestion.file_runs
    where id = ${id}::uuid
      and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)
      and (${connectionId} = '' or connection_id = nullif(${connectionId}, '')::uuid)`,
);

/** The run of a file with what it is read by. */
export const selectOpenFileRun = statement(
  openFileRun,
  ({ projectId, id }: { projectId: string; id: string }) => sql`
    select id, project_id, connection_id, parser_id, parser_version, file_name, site_id, state, code, message, attempts,
      position, bytes, bytes_total, rows, points, errors, missing, skipped, finished_at as finished_at_us, row_errors,
      configuration, zones
    from ingestion.file_runs
    where project_id = ${projectId}::uuid and id = ${id}::uuid`,
);

/** Where files stand, and whether they have come to their end; each by its place among those that are asked for. */
export const selectFilePositions = statement(
  z.object({ place: z.number(), position: z.number(), state, code: z.string().optional() }),
  (asked: { ids: readonly string[]; projectIds: readonly string[]; connectionIds: readonly string[] }) => sql`
    select asked.place, position, state, code
    from unnest(${asked.ids}::uuid[], ${asked.projectIds}::uuid[], ${asked.connectionIds}::uuid[])
      with ordinality as asked (id, project_id, connection_id, place)
    join ingestion.file_runs on file_runs.id = asked.id and file_runs.project_id = asked.project_id
      and file_runs.connection_id = asked.connection_id`,
);

/** Says how a file ended, unless that is said already. One that was read to its end has ended when all of its points are admitted. */
export const finishFileRun = statement(
  z.object({}),
  (end: {
    id: string;
    projectId: string;
    connectionId: string;
    state: string;
    code: string | null;
    message: string | null;
    bytes: number;
    rows: number;
    points: number;
    errors: number;
    missing: number;
    skipped: number;
    /** JSON */
    rowErrors: string;
    nowUs: number;
  }) => sql`
    update ingestion.file_runs
    set state = ${end.state}, code = ${end.code}, message = ${end.message},
      bytes = ${end.bytes}::bigint, rows = ${end.rows}::bigint,
      points = ${end.points}::bigint, errors = ${end.errors}::bigint, missing = ${end.missing}::bigint,
      skipped = ${end.skipped}::bigint, row_errors = ${end.rowErrors}::jsonb,
      finished_at = ${sqlInstant(end.nowUs)}::timestamptz
    where id = ${end.id}::uuid and project_id = ${end.projectId}::uuid and connection_id = ${end.connectionId}::uuid
      and (state = 'running' or code = 'file_interrupted')
      and (${end.code}::text is not distinct from 'file_interrupted' or position = ${end.points}::bigint)`,
);

/** Fails the runs of files that nobody has gone on with, `limit` at most. */
export const expireFileRuns = statement(
  z.object({}),
  ({ nowUs, limit }: { nowUs: number; limit: number }) => sql`
    update ingestion.file_runs
    set state = 'failed', code = 'file_interrupted', message = null, finished_at = ${sqlInstant(nowUs)}::timestamptz
    where id = any(array(
      select id from ingestion.file_runs
      where state = 'running' and expires_at < ${sqlInstant(nowUs)}::timestamptz
      order by id
      limit ${limit}::int
      for update skip locked
    ))`,
);

/** Where a list of files goes on: below `before`, down to `least`. */
export interface FileRange {
  readonly projectId: string;
  readonly connectionId: string;
  /** In which of these states they are. */
  readonly states: readonly string[];
  readonly before: string;
  readonly least: string;
  readonly limit: number;
}

/** What lists have of the run of a file. */
const listedColumns = sqlPart`
  found.id, project_id, connection_id, parser_id, parser_version, file_name, site_id, found.state, code, message, attempts,
    position, bytes, bytes_total, rows, points, errors, missing, skipped, finished_at as finished_at_us`;

/** Files of a project, newest first. */
export const selectProjectFiles = statement(
  listedFileRun,
  ({ projectId, states, before, least, limit }: FileRange) => sql`
    select ${listedColumns}
    from unnest(${states}::text[]) as wanted (state)
    cross join lateral (
      select * from ingestion.file_runs
      where project_id = ${projectId}::uuid and file_runs.state = wanted.state
        and id < ${before}::uuid and id >= ${least}::uuid
      order by id desc
      limit ${limit}::int
    ) as found
    order by found.id desc
    limit ${limit}::int`,
);

/** Files of a connection, newest first. */
export const selectConnectionFiles = statement(
  listedFileRun,
  ({ projectId, connectionId, states, before, least, limit }: FileRange) => sql`
    select ${listedColumns}
    from unnest(${states}::text[]) as wanted (state)
    cross join lateral (
      select * from ingestion.file_runs
      where connection_id = ${connectionId}::uuid and file_runs.state = wanted.state
        and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)
        and id < ${before}::uuid and id >= ${least}::uuid
      order by id desc
      limit ${limit}::int
    ) as found
    order by found.id desc
    limit ${limit}::int`,
);

/** All files, newest first. */
export const selectAllFiles = statement(
  listedFileRun,
  ({ states, before, least, limit }: FileRange) => sql`
    select ${listedColumns}
    from unnest(${states}::text[]) as wanted (state)
    cross join lateral (
      select * from ingestion.file_runs
      where file_runs.state = wanted.state and id < ${before}::uuid and id >= ${least}::uuid
      order by id desc
      limit ${limit}::int
    ) as found
    order by found.id desc
    limit ${limit}::int`,
);
