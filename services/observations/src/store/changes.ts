import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/**
 * Notes the ranges that a transaction writes or deletes in, one a variable, both ends included; in that
 * transaction itself, or what it does is missed. What is noted in vain costs a read, and is no fault.
 */
export const insertChanges = statement(
  z.object({}),
  (ranges: { variableKeys: Buffer; firstInstants: Buffer; lastInstants: Buffer }) => sql`
    insert into observations.changes (variable_key, first_at, last_at)
    select given.variable_key, given.first_at, given.last_at
    from unnest(${ranges.variableKeys}::bigint[], ${ranges.firstInstants}::timestamptz[],
      ${ranges.lastInstants}::timestamptz[]) as given (variable_key, first_at, last_at)`,
);
