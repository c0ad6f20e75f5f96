import { notFound } from '@weir/kit/errors';
import type { Page } from '@weir/kit/pages';
import type { Actor } from '@weir/kit/records';
import { type ConstraintErrors, sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { nameTaken } from './name-taken.js';
import { type NewSecret, secretShape } from './secrets.js';

const developerKey = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  createdAtUs: z.number(),
  expiresAtUs: z.number().optional(),
  lastUsedAtUs: z.number().optional(),
  revokedAtUs: z.number().optional(),
  secrets: z.array(secretShape),
});

/** A key to store, with its first secret. */
export interface NewDeveloperKey extends NewSecret {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAtUs: number | undefined;
  readonly actor: Actor;
}

/** Stores a key with its first secret. */
export const insertDeveloperKey = statement(
  z.object({ createdAtUs: z.number() }),
  (key: NewDeveloperKey) => sql`
    with key as (
      insert into access.developer_keys (id, project_id, name, permissions, expires_at, created_by, updated_by)
      values (
        ${key.id}, ${key.projectId}, ${key.name}, ${key.permissions}, ${sqlInstant(key.expiresAtUs)},
        ${key.actor}, ${key.actor}
      )
      returning id, created_at, created_by
    ), secret as (
      insert into access.secrets (id, developer_key_id, slot, secret_sha256, hint, created_by)
      select ${key.secretId}::uuid, key.id, 1, ${key.secretSha256}::bytea, ${key.hint}::text, key.created_by
      from key
    )
    select created_at as created_at_us from key`,
);

/** Keys with their secrets. */
const developerKeys = sqlPart`
  select k.id, k.project_id, k.name, k.permissions,
    k.created_at as created_at_us, k.expires_at as expires_at_us,
    k.last_used_at as last_used_at_us, k.revoked_at as revoked_at_us,
    (
      select json_strip_nulls(json_agg(json_build_object(
        'id', s.id, 'slot', s.slot, 'hint', s.hint,
        'createdAtUs', (extract(epoch from s.created_at) * 1000000)::bigint,
        'revokedAtUs', (extract(epoch from s.revoked_at) * 1000000)::bigint
      ) order by s.id))
      from access.secrets s where s.developer_key_id = k.id
    ) as secrets
  from access.developer_keys k`;

/** One key with its secrets. */
export const selectDeveloperKey = statement(
  developerKey,
  ({ id }: { id: string }) => sql`
    ${developerKeys}
    where k.id = ${id}`,
);

/** Keys of a project after one, in order of creation. */
export const selectDeveloperKeys = statement(
  developerKey,
  ({ projectId, after, readMax }: Page & { projectId: string }) => sql`
    ${developerKeys}
    where k.project_id = ${projectId} and k.id > ${after}
    order by k.id
    limit ${readMax}`,
);

/** Locks a key against other changes until the end of the transaction, and notes who changes it. */
export const lockDeveloperKey = statement(
  z.object({ id: z.string() }),
  ({ id, actor }: { id: string; actor: Actor }) => sql`
    update access.developer_keys
    set updated_at = now(), updated_by = ${actor}
    where id = ${id}
    returning id`,
);

/** Ends a key, and locks it; the first revocation of a key stands. */
export const revokeDeveloperKey = statement(
  z.object({ id: z.string() }),
  ({ id, actor }: { id: string; actor: Actor }) => sql`
    update access.developer_keys
    set revoked_at = coalesce(revoked_at, now()), revoked_by = coalesce(revoked_by, ${actor}::jsonb),
      updated_at = now(), updated_by = ${actor}::jsonb
    where id = ${id}
    returning id`,
);

/** Notes when keys were last used; a row that somebody changes now is left for the next time. */
export const updateDeveloperKeysLastUsed = statement(
  z.never(),
  (uses: readonly (readonly [id: string, atUs: number])[]) => sql`
    update access.developer_keys k
    set last_used_at = greatest(k.last_used_at, u.at)
    from unnest(${uses.map(([id]) => id)}::uuid[], ${uses.map(([, atUs]) => sqlInstant(atUs))}::timestamptz[]) as u (id, at)
    where k.id = u.id
      and k.id in (
        select l.id from access.developer_keys l
        where l.id = any(${uses.map(([id]) => id)}::uuid[])
        for no key update skip locked
      )`,
);

/** What its constraints mean. */
export const developerKeyErrors: ConstraintErrors = {
  developer_keys_project_id_fkey: () => notFound('project'),
  developer_keys_project_id_name_key: () => nameTaken('active key of the project'),
};
