import { WeirError } from '@weir/kit/errors';
import type { Actor } from '@weir/kit/records';
import { type ConstraintErrors, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** A secret as the records of keys and connections carry it. */
export const secretShape = z.object({
  id: z.string(),
  slot: z.number(),
  hint: z.string(),
  createdAtUs: z.number(),
  revokedAtUs: z.number().optional(),
});

/** What a secret belongs to: one of both. */
export interface SecretOwner {
  readonly developerKeyId?: string;
  readonly connectionId?: string;
}

/** A secret to store. */
export interface NewSecret {
  readonly secretId: string;
  readonly secretSha256: Buffer;
  readonly hint: string;
}

/** Stores another secret of a key or connection. */
export const insertSecret = statement(
  secretShape,
  (secret: NewSecret & SecretOwner & { slot: number; actor: Actor }) => sql`
    insert into access.secrets (id, developer_key_id, connection_id, slot, secret_sha256, hint, created_by)
    values (
      ${secret.secretId}, ${secret.developerKeyId}, ${secret.connectionId}, ${secret.slot},
      ${secret.secretSha256}, ${secret.hint}, ${secret.actor}
    )
    returning id, slot, hint, created_at as created_at_us`,
);

/** Ends live secrets of a key or connection: the one named, or all. */
export const revokeSecrets = statement(
  z.never(),
  ({ developerKeyId, connectionId, secretId, actor }: SecretOwner & { secretId: string | null; actor: Actor }) => sql`
    update access.secrets
    set revoked_at = now(), revoked_by = ${actor}
    where (developer_key_id = ${developerKeyId} or connection_id = ${connectionId})
      and (${secretId}::uuid is null or id = ${secretId}::uuid)
      and revoked_at is null`,
);

const rotatedMeanwhile = (): WeirError =>
  new WeirError('lifecycle_conflict', 'Somebody else rotated the key at this moment; look at it, then try again.');

/** What its constraints mean. */
export const secretErrors: ConstraintErrors = {
  secrets_developer_key_id_slot_key: rotatedMeanwhile,
  secrets_connection_id_slot_key: rotatedMeanwhile,
};
