import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

const packedSeries = z.object({
  /** which of the reads, from 0 */
  read: z.number(),
  /** as `timestamptz_send` and `float8send` write them, one after the other */
  instants: z.instanceof(Buffer),
  values: z.instanceof(Buffer),
});

/**
 * Observations of series in ranges, ascending, of each read as many as its limit at most. A read has the ranges from
 * `firsts` to `lasts`, counted from 1, which ascend.
 */
export const selectAscending = statement(
  packedSeries,
  (args: {
    variableKeys: readonly number[];
    firsts: readonly number[];
    lasts: readonly number[];
    limits: readonly number[];
    starts: Buffer;
    ends: Buffer;
  }) => sql`
    select (asked.number - 1)::int as read, found.instants, found.values
    from unnest(${args.variableKeys}::bigint[], ${args.firsts}::int[], ${args.lasts}::int[], ${args.limits}::int[])
      with ordinality as asked (variable_key, first, last, row_limit, number)
    cross join lateral (
      select string_agg(timestamptz_send(observation.at), '') as instants,
        string_agg(float8send(observation.value), '') as values
      from (
        select stored.at, stored.value
        from generate_series(asked.first, asked.last) as part (number)
        cross join lateral (
          select at, value
          from observations.observations
          where variable_key = asked.variable_key
            and at >= (${args.starts}::timestamptz[])[part.number]
            and at < (${args.ends}::timestamptz[])[part.number]
          order by at
        ) as stored
        limit asked.row_limit
      ) as observation
    ) as found
    where found.instants is not null`,
);

/** The last observations of series in ranges, the last one first, of each as many as its limit at most. */
export const selectDescending = statement(
  packedSeries,
  (args: { variableKeys: Buffer; starts: Buffer; ends: Buffer; limit: number }) => sql`
    select (asked.number - 1)::int as read, found.instants, found.values
    from unnest(${args.variableKeys}::bigint[], ${args.starts}::timestamptz[], ${args.ends}::timestamptz[])
      with ordinality as asked (variable_key, start_at, end_at, number)
    cross join lateral (
      select string_agg(timestamptz_send(stored.at), '') as instants, string_agg(float8send(stored.value), '') as values
      from (
        select at, value
        from observations.observations
        where variable_key = asked.variable_key and at >= asked.start_at and at < asked.end_at
        order by at desc
        limit ${args.limit}::int
      ) as stored
    ) as found
    where found.instants is not null`,
);

/** How many instants a series has in ranges, at most so many. */
export const countInstants = statement(
  z.object({ count: z.number() }),
  (args: { variableKey: number; starts: Buffer; ends: Buffer; limit: number }) => sql`
    select count(*) as count
    from (
      select 1
      from unnest(${args.starts}::timestamptz[], ${args.ends}::timestamptz[]) as part (start_at, end_at)
      cross join lateral (
        select from observations.observations
        where variable_key = ${args.variableKey}::bigint and at >= part.start_at and at < part.end_at
        offset 0
      ) as stored
      limit ${args.limit}::int
    ) as counted`,
);

/** How many instants several series have in ranges, those that they share once; at most so many. */
export const countSharedInstants = statement(
  z.object({ count: z.number() }),
  (args: { variableKeys: readonly number[]; starts: Buffer; ends: Buffer; limit: number }) => sql`
    select count(*) as count
    from (
      select stored.at
      from unnest(${args.variableKeys}::bigint[], ${args.starts}::timestamptz[], ${args.ends}::timestamptz[])
        as part (variable_key, start_at, end_at)
      cross join lateral (
        select at
        from observations.observations
        where variable_key = part.variable_key and at >= part.start_at and at < part.end_at
        offset 0
      ) as stored
      group by stored.at
      limit ${args.limit}::int
    ) as counted`,
);
