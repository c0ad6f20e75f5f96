import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Edge } from '../domain/edges.js';

const reader = z.object({
  readerKey: z.number(),
  inputKey: z.number(),
  fromUs: z.number(),
  untilUs: z.number(),
  isCalculated: z.boolean(),
  isSoleDriver: z.boolean(),
  reachUs: z.number().optional(),
  stops: z.enum(['never', 'before_next', 'at_next']),
});

/** A calculated variable that reads a series: the edge that leads to it. */
export interface Reader extends Edge {
  readonly readerKey: number;
}

/** What reads series where changes reach it that are not before an instant. Under `shareProjects`, so that none is missing. */
export const selectReaders = statement(
  reader.transform((found): Reader => ({ ...found, reachUs: found.reachUs })),
  ({ inputKeys, sinceUs }: { inputKeys: Buffer; sinceUs: number }) => sql`
    select reader_key, input_key, from_at as from_us, until_at as until_us, is_calculated, is_sole_driver, reach_us, stops
    from observations.readers
    where input_key = any(${inputKeys}::bigint[]) and until_at > ${sqlInstant(sinceUs)}::timestamptz`,
);

/** The next observation after each instant of a series and until another: their instants in order, packed; infinity where there is none. */
export const selectNextInstants = statement(
  z.object({ nexts: z.instanceof(Buffer) }),
  (args: { variableKeys: Buffer; instants: Buffer; untils: Buffer }) => sql`
    select string_agg(timestamptz_send(coalesce(next.at, 'infinity')), '' order by given.number) as nexts
    from unnest(${args.variableKeys}::bigint[], ${args.instants}::timestamptz[], ${args.untils}::timestamptz[])
      with ordinality as given (variable_key, at, until, number)
    left join lateral (
      select stored.at
      from observations.observations as stored
      where stored.variable_key = given.variable_key and stored.at > given.at and stored.at <= given.until
      order by stored.at
      limit 1
    ) as next on true`,
);

/** Takes all edges away that lead to a variable. */
export const deleteEdges = statement(
  z.object({}),
  ({ readerKey }: { readerKey: number }) => sql`delete from observations.readers where reader_key = ${readerKey}`,
);

/** Adds edges that lead to a variable. */
export const insertEdges = statement(
  z.object({}),
  ({ readerKey, edges }: { readerKey: number; edges: readonly Edge[] }) => sql`
    insert into observations.readers
      (input_key, reader_key, from_at, until_at, is_calculated, is_sole_driver, reach_us, stops)
    select given.input_key, ${readerKey}, given.from_at, given.until_at, given.is_calculated, given.is_sole_driver,
      given.reach_us, given.stops
    from unnest(${edges.map(({ inputKey }) => inputKey)}::bigint[],
      ${edges.map(({ fromUs }) => sqlInstant(fromUs))}::timestamptz[],
      ${edges.map(({ untilUs }) => sqlInstant(untilUs))}::timestamptz[],
      ${edges.map(({ isCalculated }) => isCalculated)}::boolean[],
      ${edges.map(({ isSoleDriver }) => isSoleDriver)}::boolean[],
      ${edges.map(({ reachUs }) => reachUs ?? null)}::bigint[],
      ${edges.map(({ stops }) => stops)}::text[])
      as given (input_key, from_at, until_at, is_calculated, is_sole_driver, reach_us, stops)`,
);
