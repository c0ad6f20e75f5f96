import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Notes which transactions have ended by now. */
export const insertHorizon = statement(
  z.object({}),
  () => sql`
    insert into observations.change_horizons (xid, reached_at)
    values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint, now())
    on conflict (xid) do nothing`,
);

/** Moves on to the next horizon, where that was reached before an instant. @returns its transaction number */
export const advanceHorizon = statement(
  z.object({ xid: z.number() }),
  ({ beforeUs }: { beforeUs: number }) => sql`
    with oldest as (
      select horizon.xid from observations.change_horizons as horizon order by horizon.xid limit 1
    ), next as (
      select horizon.xid, horizon.reached_at
      from observations.change_horizons as horizon, oldest
      where horizon.xid > oldest.xid
      order by horizon.xid
      limit 1
    )
    delete from observations.change_horizons as passed
    using next
    where passed.xid < next.xid and next.reached_at < ${sqlInstant(beforeUs)}::timestamptz
    returning next.xid`,
);

/** Deletes the changes of transactions before a number, of all series. */
export const deleteChanges = statement(
  z.object({}),
  ({ beforeXid }: { beforeXid: number }) => sql`
    delete from observations.changes where xid < ${beforeXid}::bigint`,
);
