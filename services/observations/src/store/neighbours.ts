import { type SqlPart, sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** The series, and the half-open range that is looked at, in microseconds. */
interface NeighbourArgs {
  readonly projectId: string;
  readonly variableKeys: readonly number[];
  readonly startUs: number;
  readonly endUs: number;
}

const neighbour = z.object({
  /** Position in the keys asked, from 0. */
  seriesIndex: z.number(),
  atUs: z.number(),
});

const selectNeighbours = (order: SqlPart) =>
  statement(
    neighbour,
    (args: NeighbourArgs) => sql`
      select asked.number - 1 as series_index, neighbour.at as at_us
      from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
      join observations.series
        on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
      cross join lateral (
        select stored.at
        from observations.observations as stored
        where stored.variable_key = series.variable_key
          and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
          and stored.at < ${sqlInstant(args.endUs)}::timestamptz
        order by stored.at ${order}
        limit 1
      ) as neighbour`,
  );

/** The first observation of each series in a range; series without one are left out. */
export const selectFirstInstants = selectNeighbours(sqlPart`asc`);

/** The last observation of each series in a range; series without one are left out. */
export const selectLastInstantsBefore = selectNeighbours(sqlPart`desc`);
