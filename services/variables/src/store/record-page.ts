import type { Page } from '@weir/kit/pages';

/*
 * Statements of pages say their range and their order by both columns of the index that they walk, the
 * scope and the id. With an equality for the scope every index by id alone would give the order too, and a
 * plan that walks one reads the records of all other scopes.
 */

/** Which records a page of a project's list is of. */
export interface RecordPage extends Page {
  readonly projectId: string;
  /** A part of their names; empty: any. */
  readonly q: string;
  readonly includeArchived: boolean;
}
