import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { RowColumns } from './observations.js';

const packedNumbers = z.object({ rows: z.instanceof(Buffer).optional() });

/**
 * The numbers (from 0) of rows that an upsert will not change: an equal value is stored, or one that was not admitted
 * before. Locks what is stored of all of them in their order, as the upsert will, so that the answer holds until then.
 */
export const lockUnchangedRows = statement(
  packedNumbers,
  ({ variableKeys, instants, values, admitted }: RowColumns) => sql`
    with locked as (
      select (given.number - 1)::int as row,
        stored.value = given.value or stored.admitted >= given.admitted as is_unchanged
      from unnest(${variableKeys}::bigint[], ${instants}::timestamptz[], ${values}::double precision[],
        ${admitted}::bigint[]) with ordinality as given (variable_key, at, value, admitted, number)
      cross join lateral (
        select value, admitted
        from observations.observations
        where variable_key = given.variable_key and at = given.at
        for no key update
      ) as stored
    )
    select string_agg(int4send(row), '') as rows
    from locked
    where is_unchanged`,
);

/** The instants of a series from one to another, packed; at most so many. */
export const selectInstantsBetween = statement(
  z.object({ instants: z.instanceof(Buffer).optional() }),
  (args: { variableKey: number; firstUs: number; lastUs: number; limit: number }) => sql`
    select string_agg(timestamptz_send(at), '') as instants
    from (
      select at
      from observations.observations
      where variable_key = ${args.variableKey} and at >= ${sqlInstant(args.firstUs)}::timestamptz
        and at <= ${sqlInstant(args.lastUs)}::timestamptz
      order by at
      limit ${args.limit}
    ) as observation`,
);
