import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** The batches that a transaction stores, and those before it whose outcome was told. */
export interface StoredBatches {
  /** Tells it from all others. */
  readonly id: string;
  readonly publicIds: readonly string[];
  /** None where all are 0. */
  readonly epochs: readonly number[];
  /** What each of them is stored under, as `toVariableIds` writes it. */
  readonly variableIds: readonly Buffer[];
  /** The ids of earlier ones, of which nothing need be kept any more. */
  readonly told: readonly string[];
}

/**
 * What a transaction that writes or deletes observations notes when it has. The ranges that were changed, one a variable, both
 * ends included: what is not noted is missed, and what is noted in vain costs a read. And the greatest instants of series, where
 * these are greater: after the rest, as PostgreSQL runs what nothing refers to, since many write into a series and wait for each
 * other there until the end of the transaction. They come in ascending order, and each is looked up: in a join PostgreSQL would rather walk through all
 * series than sort. And what the batches are stored under that it stores, until their outcome was told.
 */
export const noteChanges = statement(
  z.object({}),
  ({
    batches,
    ...changed
  }: {
    readonly variableKeys: Buffer;
    readonly firstInstants: Buffer;
    readonly lastInstants: Buffer;
    /** Of the series that may have a later last instant now, and that instant. */
    readonly risenKeys: Buffer;
    readonly risenInstants: Buffer;
    readonly batches?: StoredBatches | undefined;
  }) => sql`
    with risen as (
      select given.variable_key, given.at
      from unnest(${changed.risenKeys}::bigint[], ${changed.risenInstants}::timestamptz[]) as given (variable_key, at)
      cross join lateral (
        select 1
        from observations.series
        where variable_key = given.variable_key and (last_at is null or last_at < given.at)
        for no key update
      ) as lower
    ), raised as (
      update observations.series
      set last_at = risen.at
      from risen
      where series.variable_key = risen.variable_key
    ), told as (
      delete from observations.stored_batches where id = any(${batches?.told ?? []}::uuid[])
    ), stored as (
      insert into observations.stored_batches (id, public_ids, epochs, variable_ids)
      select given.*
      from (values (${batches?.id ?? null}::uuid, ${batches?.publicIds ?? []}::uuid[], ${batches?.epochs ?? []}::integer[],
        ${batches?.variableIds ?? []}::bytea[])) as given (id, public_ids, epochs, variable_ids)
      where cardinality(given.public_ids) > 0
      on conflict on constraint stored_batches_id_pkey do nothing
    )
    insert into observations.changes (variable_key, first_at, last_at)
    select given.variable_key, given.first_at, given.last_at
    from unnest(${changed.variableKeys}::bigint[], ${changed.firstInstants}::timestamptz[],
      ${changed.lastInstants}::timestamptz[]) as given (variable_key, first_at, last_at)`,
);
