import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { definitionShape } from '../domain/definition.js';
import type { ComputedLane } from '../domain/mark-lanes.js';

// Subqueries with a limit, an offset or a lock stay where they are written: each is run for one key, by index, however
// large the tables are (docs/decisions/0025-calculations-are-computed-a-slice-at-a-time.md).

const candidate = z.object({
  variableKey: z.number(),
  projectId: z.string(),
  /** as people know it */
  variableId: z.string(),
  /** whether it is computed from what is calculated itself, as far as is known */
  isChained: z.boolean().optional(),
});

/** A variable that has something to be computed. */
export type Candidate = z.output<typeof candidate>;

/** Variables that have something in a lane, after a key in their order. */
export const selectCandidates = statement(
  candidate,
  (args: { lane: ComputedLane; afterKey: number; limit: number }) => sql`
    select marked.variable_key, calculation.project_id, calculation.variable_id, exists (
        select from observations.readers where reader_key = marked.variable_key and is_calculated offset 0
      ) as is_chained
    from (
      select distinct variable_key
      from observations.dirty
      where lane = ${args.lane}::smallint and variable_key > ${args.afterKey}::bigint
      order by variable_key
      limit ${args.limit}::int
    ) as marked
    cross join lateral (
      select project_id, variable_id from observations.calculations where variable_key = marked.variable_key limit 1
    ) as calculation`,
);

/** What the given variables are computed from, over any number of steps, that has itself something in the lane. */
export const selectUpstreamCandidates = statement(
  candidate.extend({ rootKey: z.number() }),
  (args: { lane: ComputedLane; variableKeys: readonly number[] }) => sql`
    with recursive upstream as (
      select root.variable_key as root_key, found.input_key as variable_key
      from unnest(${args.variableKeys}::bigint[]) as root (variable_key)
      cross join lateral (
        select input_key from observations.readers where reader_key = root.variable_key and is_calculated offset 0
      ) as found
      union
      select upstream.root_key, found.input_key
      from upstream
      cross join lateral (
        select input_key from observations.readers where reader_key = upstream.variable_key and is_calculated offset 0
      ) as found
    )
    select upstream.root_key, upstream.variable_key, calculation.project_id, calculation.variable_id
    from upstream
    cross join lateral (
      select 1 from observations.dirty
      where lane = ${args.lane}::smallint and variable_key = upstream.variable_key
      limit 1
    ) as marked
    cross join lateral (
      select project_id, variable_id from observations.calculations where variable_key = upstream.variable_key limit 1
    ) as calculation`,
);

/**
 * Locks what computes and replaces definitions lock: nobody else computes these variables until the transaction ends.
 * Those that somebody else has are left out.
 *
 * @param variableKeys - ascending
 */
export const lockCalculations = statement(
  z.object({ variableKey: z.number(), configurationGeneration: z.number(), version: z.number() }),
  ({ variableKeys }: { variableKeys: readonly number[] }) => sql`
    select locked.variable_key, locked.configuration_generation, locked.version
    from unnest(${variableKeys}::bigint[]) as given (variable_key)
    cross join lateral (
      select variable_key, configuration_generation, version
      from observations.calculations
      where variable_key = given.variable_key
      for no key update skip locked
    ) as locked`,
);

/** The definitions of variables; one that is computed no more has none. */
export const selectDefinitions = statement(
  z.object({
    variableKey: z.number(),
    version: z.number(),
    definition: definitionShape.optional(),
    projectId: z.string(),
    variableId: z.string(),
  }),
  ({ variableKeys }: { variableKeys: readonly number[] }) => sql`
    select variable_key, version, definition, project_id, variable_id
    from observations.calculations
    where variable_key = any(${variableKeys}::bigint[])`,
);
