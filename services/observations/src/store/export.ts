import { type SqlPart, sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Which observations come next: of one series, `limit` at most. */
export interface ExportArgs {
  readonly projectId: string;
  readonly variableKey: number;
  /** Half-open range of instants in microseconds. */
  readonly startUs: number;
  readonly endUs: number;
  readonly limit: number;
}

const exportChunk = z.object({
  count: z.number(),
  /** Instants and values as `timestamptz_send` and `float8send` write them, in turn; absent where there are none. */
  observations: z.instanceof(Buffer).optional(),
});

// A portal that is fetched from would give a row an observation, which pg takes apart at a fifth of the speed
// (docs/decisions/0020-an-export-walks-a-snapshot.md). A key of another project finds no series, and so nothing.

const selectExport = (order: SqlPart) =>
  statement(
    exportChunk,
    (args: ExportArgs) => sql`
      select count(*)::int as count,
        string_agg(timestamptz_send(observation.at) || float8send(observation.value), '') as observations
      from (
        select stored.at, stored.value
        from observations.observations as stored
        where stored.variable_key = (
            select series.variable_key
            from observations.series
            where series.variable_key = ${args.variableKey}::bigint and series.project_id = ${args.projectId}::uuid
          )
          and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
          and stored.at < ${sqlInstant(args.endUs)}::timestamptz
        order by stored.at ${order}
        limit ${args.limit}
      ) as observation`,
  );

/** The first observations of a range. */
export const selectExportAscending = selectExport(sqlPart`asc`);

/** The last observations of a range, the latest first. */
export const selectExportDescending = selectExport(sqlPart`desc`);
