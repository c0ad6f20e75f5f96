import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/**
 * Makes the series that are not there. A series without an observation does no harm. Whatever index tells that one is: two
 * have the key, and of two who make it at once one may meet the other in either.
 */
export const insertSeries = statement(
  z.object({}),
  (args: {
    variableKeys: readonly number[];
    projectIds: readonly string[];
    instrumentIds: readonly string[];
    generations: readonly number[];
  }) => sql`
    insert into observations.series (variable_key, project_id, instrument_id, generation)
    select given.variable_key, given.project_id, given.instrument_id, given.generation
    from unnest(${args.variableKeys}::bigint[], ${args.projectIds}::uuid[], ${args.instrumentIds}::uuid[],
      ${args.generations}::int[]) as given (variable_key, project_id, instrument_id, generation)
    order by given.variable_key
    on conflict do nothing`,
);

/** The greatest instants of series, as far as they have one. */
export const selectLastInstants = statement(
  z.object({ variableKey: z.number(), lastAtUs: z.number() }),
  ({ variableKeys }: { variableKeys: readonly number[] }) => sql`
    select variable_key, last_at as last_at_us
    from observations.series
    where variable_key = any(${variableKeys}::bigint[]) and last_at is not null`,
);
