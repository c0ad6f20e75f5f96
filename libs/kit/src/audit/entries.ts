import { z } from 'zod';
import { type Statement, statement } from '../sql/index.js';

/** The services that keep who changed what, each in the schema of its name. */
export const auditedServices = ['access', 'variables', 'dashboards', 'parsers', 'ingestion'] as const;

/** A service that keeps who changed what. */
export type AuditedService = (typeof auditedServices)[number];

const entry = z.object({
  id: z.number(),
  atUs: z.number(),
  projectId: z.string().default(''),
  actor: z.object({ type: z.string(), id: z.string() }),
  action: z.string(),
  recordType: z.string(),
  recordId: z.string(),
  revisionBefore: z.number().optional(),
  revisionAfter: z.number().optional(),
  changed: z.array(z.string()),
});

/** One change of one record, as the trigger of its table kept it. */
export type AuditEntry = z.output<typeof entry>;

/** Which entries make a page: those below an id, newest first; of one project and of one record where they are named. */
export interface AuditPage {
  readonly projectId: string | null;
  readonly recordId: string | null;
  readonly before: number;
  readonly readMax: number;
}

/** Declares the statement by which a service reads what was changed in its schema. */
export function auditEntries(schema: AuditedService): Statement<AuditPage, AuditEntry> {
  const text = `
    select id, at as at_us, project_id, actor, action, record_type, record_id, revision_before, revision_after, changed
    from ${schema}.audit_entries
    where id < $1::bigint and ($2::uuid is null or project_id = $2::uuid) and ($3::text is null or record_id = $3::text)
    order by id desc
    limit $4`;
  return statement(entry, ({ before, projectId, recordId, readMax }: AuditPage) => ({
    text,
    values: [before, projectId, recordId, readMax],
  }));
}
