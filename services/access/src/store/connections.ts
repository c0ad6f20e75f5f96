import { notFound } from '@weir/kit/errors';
import type { Page } from '@weir/kit/pages';
import type { Actor } from '@weir/kit/records';
import { type ConstraintErrors, sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type Provisioning, provisionings } from '../domain/records.js';
import { nameTaken } from './name-taken.js';
import { type NewSecret, secretShape } from './secrets.js';

const connection = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  provisioning: z.enum(provisionings),
  enabled: z.boolean(),
  createdAtUs: z.number(),
  expiresAtUs: z.number().optional(),
  lastUsedAtUs: z.number().optional(),
  secrets: z.array(secretShape),
});

/** A connection to store, with its first secret. */
export interface NewConnection extends NewSecret {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly provisioning: Provisioning;
  readonly expiresAtUs: number | undefined;
  readonly actor: Actor;
}

/** Stores a connection with its first secret. */
export const insertConnection = statement(
  z.object({ createdAtUs: z.number() }),
  (connection: NewConnection) => sql`
    with connection as (
      insert into access.connections (id, project_id, name, provisioning, expires_at, created_by, updated_by)
      values (
        ${connection.id}, ${connection.projectId}, ${connection.name}, ${connection.provisioning},
        ${sqlInstant(connection.expiresAtUs)}, ${connection.actor}, ${connection.actor}
      )
      returning id, created_at, created_by
    ), secret as (
      insert into access.secrets (id, connection_id, slot, secret_sha256, hint, created_by)
      select ${connection.secretId}::uuid, connection.id, 1, ${connection.secretSha256}::bytea,
        ${connection.hint}::text, connection.created_by
      from connection
    )
    select created_at as created_at_us from connection`,
);

/** Connections with their secrets. */
const connections = sqlPart`
  select c.id, c.project_id, c.name, c.provisioning, c.enabled,
    c.created_at as created_at_us, c.expires_at as expires_at_us, c.last_used_at as last_used_at_us,
    (
      select json_strip_nulls(json_agg(json_build_object(
        'id', s.id, 'slot', s.slot, 'hint', s.hint,
        'createdAtUs', (extract(epoch from s.created_at) * 1000000)::bigint,
        'revokedAtUs', (extract(epoch from s.revoked_at) * 1000000)::bigint
      ) order by s.id))
      from access.secrets s where s.connection_id = c.id
    ) as secrets
  from access.connections c`;

/** One connection with its secrets. */
export const selectConnection = statement(
  connection,
  ({ id }: { id: string }) => sql`
    ${connections}
    where c.id = ${id}`,
);

/** Connections of a project after one, in order of creation. */
export const selectConnections = statement(
  connection,
  ({ projectId, after, readMax }: Page & { projectId: string }) => sql`
    ${connections}
    where c.project_id = ${projectId} and c.id > ${after}
    order by c.id
    limit ${readMax}`,
);

/** What a change of a connection names; the rest stays. */
export interface ConnectionChange {
  readonly name?: string | undefined;
  readonly provisioning?: Provisioning | undefined;
  readonly enabled?: boolean | undefined;
}

/** Changes a connection (or nothing of it), locks it, and notes who did. */
export const updateConnection = statement(
  z.object({ id: z.string() }),
  ({ id, actor, name, provisioning, enabled }: ConnectionChange & { id: string; actor: Actor }) => sql`
    update access.connections
    set name = coalesce(${name}::text, name),
      provisioning = coalesce(${provisioning}::text, provisioning),
      enabled = coalesce(${enabled}::boolean, enabled),
      updated_at = now(), updated_by = ${actor}
    where id = ${id}
    returning id`,
);

/** Notes when connections were last used; a row that somebody changes now is left for the next time. */
export const updateConnectionsLastUsed = statement(
  z.never(),
  (uses: readonly (readonly [id: string, atUs: number])[]) => sql`
    update access.connections c
    set last_used_at = greatest(c.last_used_at, u.at)
    from unnest(${uses.map(([id]) => id)}::uuid[], ${uses.map(([, atUs]) => sqlInstant(atUs))}::timestamptz[]) as u (id, at)
    where c.id = u.id
      and c.id in (
        select l.id from access.connections l
        where l.id = any(${uses.map(([id]) => id)}::uuid[])
        for no key update skip locked
      )`,
);

/** What its constraints mean. */
export const connectionErrors: ConstraintErrors = {
  connections_project_id_fkey: () => notFound('project'),
  connections_project_id_name_key: () => nameTaken('connection of the project'),
};
