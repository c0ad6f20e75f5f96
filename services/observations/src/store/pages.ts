import { type SqlPart, sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Which observations make a page: range by range from the first, `limit` in all. */
export interface PageArgs {
  readonly projectId: string;
  /** The series of each range, and its half-open bounds, in binary form. */
  readonly variableKeys: Buffer;
  readonly starts: Buffer;
  readonly ends: Buffer;
  readonly limit: number;
}

const pageRow = z.object({
  /** Position in the ranges asked, from 0; -1 for the first row, which has the mark and no observations. */
  rangeIndex: z.number(),
  count: z.number(),
  /** Instants as `timestamptz_send` writes them, one after the other. */
  instants: z.instanceof(Buffer).optional(),
  /** Shortest decimal numbers, separated by commas. */
  values: z.string().optional(),
  /** A mark of what the page could see. */
  mark: z.string().optional(),
  markAtUs: z.number().optional(),
});

/** What a page has of one range; the last one holds one more than the limit when there is a further page. */
export type StoredRangePage = z.output<typeof pageRow>;

// Walks the ranges one by one and stops when the page and one observation more are found, so that no
// row is read in vain. Each range is read from the covering index in its order; `remaining` is what
// the page still takes. A key of another project finds no series, and so nothing.

const selectPage = (order: SqlPart) =>
  statement(
    pageRow,
    (args: PageArgs) => sql`
      with recursive page as (
        select 0 as next_number, ${args.limit}::int as remaining, 0 as count, null::bytea as instants, null::text as values
        union all
        select page.next_number + 1, page.remaining - found.count, found.count, found.instants, found.values
        from page
        cross join lateral (
          select count(*)::int as count, string_agg(timestamptz_send(observation.at), '') as instants,
            string_agg(observation.value::text, ',') as values
          from (
            select stored.at, stored.value
            from observations.observations as stored
            where stored.variable_key = (
                select series.variable_key
                from observations.series
                where series.variable_key = (${args.variableKeys}::bigint[])[page.next_number + 1]
                  and series.project_id = ${args.projectId}::uuid
              )
              and stored.at >= (${args.starts}::timestamptz[])[page.next_number + 1]
              and stored.at < (${args.ends}::timestamptz[])[page.next_number + 1]
            order by stored.at ${order}
            limit page.remaining + 1
          ) as observation
        ) as found
        where page.next_number < cardinality(${args.variableKeys}::bigint[]) and page.remaining >= 0
      )
      select next_number - 1 as range_index, count, instants, values,
        case when next_number = 0 then observations.change_mark() end as mark,
        case when next_number = 0 then now() end as mark_at_us
      from page
      where count > 0 or next_number = 0
      order by next_number`,
  );

/** A page in ascending time. */
export const selectPageAscending = selectPage(sqlPart`asc`);

/** A page in descending time. */
export const selectPageDescending = selectPage(sqlPart`desc`);

/** The last observation of each series, at or before an instant; series without one are left out. */
export const selectLatest = statement(
  z.object({ variableKey: z.number(), atUs: z.number(), value: z.number() }),
  (args: { projectId: string; variableKeys: readonly number[]; asOfUs: number | undefined }) => sql`
    select series.variable_key, latest.at as at_us, latest.value
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select stored.at, stored.value
      from observations.observations as stored
      where stored.variable_key = series.variable_key
        and stored.at <= least(${sqlInstant(args.asOfUs)}::timestamptz, series.last_at)
      order by stored.at desc
      limit 1
    ) as latest
    order by asked.number`,
);
