import type { Page } from '@weir/kit/pages';

/** Which records a page of a project's list is of. */
export interface RecordPage extends Page {
  readonly projectId: string;
  /** A part of their names; empty: any. */
  readonly q: string;
  readonly includeArchived: boolean;
}
