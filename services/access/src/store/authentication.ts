import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { provisionings } from '../domain/records.js';

const candidate = z.object({
  id: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  name: z.string(),
  createdAtUs: z.number(),
  expiresAtUs: z.number().optional(),
  lastUsedAtUs: z.number().optional(),
  nowUs: z.number(),
  liveDigests: z.array(z.instanceof(Buffer)),
});

/** A key with what decides whether a secret opens it. */
export const selectDeveloperKeyCandidate = statement(
  candidate.extend({ permissions: z.array(z.string()), revokedAtUs: z.number().optional() }),
  ({ id }: { id: string }) => sql`
    select k.id, p.organization_id, k.project_id, k.name, k.permissions,
      k.created_at as created_at_us, k.expires_at as expires_at_us,
      k.last_used_at as last_used_at_us, k.revoked_at as revoked_at_us, now() as now_us,
      array(
        select s.secret_sha256 from access.secrets s
        where s.developer_key_id = k.id and s.revoked_at is null
      ) as live_digests
    from access.developer_keys k join access.projects p on p.id = k.project_id
    where k.id = ${id}`,
);

/** A connection with what decides whether a secret opens it. */
export const selectConnectionCandidate = statement(
  candidate.extend({ provisioning: z.enum(provisionings), enabled: z.boolean() }),
  ({ id }: { id: string }) => sql`
    select c.id, p.organization_id, c.project_id, c.name, c.provisioning, c.enabled,
      c.created_at as created_at_us, c.expires_at as expires_at_us,
      c.last_used_at as last_used_at_us, now() as now_us,
      array(
        select s.secret_sha256 from access.secrets s
        where s.connection_id = c.id and s.revoked_at is null
      ) as live_digests
    from access.connections c join access.projects p on p.id = c.project_id
    where c.id = ${id}`,
);
