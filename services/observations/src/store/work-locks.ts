import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Work that one processor of all does at a time: deleting old changes, and making rollups. */
export const retentionLock = 7_374_626_571;
export const rollupLock = 7_374_626_572;

/** Takes a lock until the end of the transaction, unless another process has it. */
export const tryLock = statement(
  z.object({ isLocked: z.boolean() }),
  ({ lock }: { lock: number }) => sql`select pg_try_advisory_xact_lock(${lock}::bigint) as is_locked`,
);
