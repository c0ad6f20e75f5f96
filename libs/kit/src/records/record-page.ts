import { type Page, type PageRequest, parsePage } from '../pages/index.js';
import { fromProjectId } from './project-record.js';

/** Which records a page of a project's list is of. */
export interface RecordPage extends Page {
  readonly projectId: string;
  /** A part of their names; empty: any. */
  readonly q: string;
  readonly includeArchived: boolean;
}

/** Checks what a list of a project is asked for. @throws WeirError `invalid_request`, `not_found` */
export function parseRecordPage({
  projectId,
  q,
  includeArchived,
  ...request
}: PageRequest & Omit<RecordPage, keyof Page>): RecordPage {
  return { ...parsePage(request), projectId: fromProjectId(projectId), q, includeArchived };
}
