import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** What those of some batches are stored under whose outcome is perhaps not told yet, what was stored first first. */
export const selectStoredBatches = statement(
  z.object({ publicId: z.string(), epoch: z.number(), variableIds: z.instanceof(Buffer) }),
  ({ publicIds }: { publicIds: readonly string[] }) => sql`
    select batch.public_id, coalesce(batch.epoch, 0) as epoch, batch.variable_ids
    from observations.stored_batches as stored
    cross join lateral unnest(stored.public_ids, stored.epochs, stored.variable_ids)
      as batch (public_id, epoch, variable_ids)
    where stored.public_ids && ${publicIds}::uuid[] and batch.public_id = any(${publicIds}::uuid[])
    order by epoch, stored.stored_at`,
);

/** Forgets batches whose outcome was told by processes that then ended. */
export const deleteOldStoredBatches = statement(
  z.object({}),
  ({ beforeUs }: { beforeUs: number }) => sql`
    delete from observations.stored_batches where stored_at < ${sqlInstant(beforeUs)}::timestamptz`,
);
