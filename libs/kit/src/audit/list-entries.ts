import { parseReadMax } from '../pages/index.js';
import { fromProjectId } from '../records/index.js';
import type { Db, Statement } from '../sql/index.js';
import { inProjectOrAll } from '../tenancy/index.js';
import type { AuditEntry, AuditPage } from './entries.js';

/** What is asked for, as requests have it. */
export interface EntriesRequest {
  /** Empty for all projects. */
  readonly projectId: string;
  /** Empty for all records. */
  readonly recordId: string;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A page of what was changed, newest first, and where the next one begins. @throws WeirError `invalid_request` */
export async function listEntries(
  db: Db,
  select: Statement<AuditPage, AuditEntry>,
  request: EntriesRequest,
): Promise<{ entries: AuditEntry[]; nextBefore: number | undefined }> {
  const readMax = parseReadMax(request.limit);
  const projectId = request.projectId === '' ? null : fromProjectId(request.projectId);
  const recordId = request.recordId === '' ? null : request.recordId;
  const page = { projectId, recordId, before: request.before ?? Number.MAX_SAFE_INTEGER, readMax };
  const found = await inProjectOrAll(projectId ?? '', () => select.all(db, page));
  const entries = found.slice(0, readMax - 1);
  return { entries, nextBefore: found.length < readMax ? undefined : entries.at(-1)?.id };
}
