import { faultError } from '@weir/kit/errors';
import { requireActive } from '@weir/kit/records';
import { checkRevision } from '@weir/kit/revisions';
import { parentArchived } from './conflicts.js';
import type { CatalogRecord } from './record.js';
import type { Variable } from './variable.js';

/**
 * Lets an update pass of a record that is active, and as the client read it.
 *
 * @param path - where the request names the record
 * @param what - the record, for a person
 * @throws WeirError `lifecycle_conflict`, `revision_conflict`
 */
export function checkUpdate(
  record: CatalogRecord,
  expectedRevision: number | undefined,
  path: string,
  what: string,
): void {
  // where that alone hides it, restoring the record would not help
  if (record.isParentArchived && !record.isArchivedItself) throw parentArchived(path, 'instrument');
  requireActive(record, path, what);
  checkRevision(expectedRevision, record);
}

/** Refuses to compute the values of a variable that comes from outside. @throws WeirError `invalid_request` */
export function requireCalculated({ variableType }: Pick<Variable, 'variableType'>, path: string): void {
  if (variableType === 'calculated') return;
  const message = `Only calculated variables are computed, and this one is ${variableType}; name a calculated one.`;
  throw faultError('invalid_request', { path, code: 'not_calculated', message });
}

/**
 * Whether restoring changes the record; one that is active already stays as it is.
 *
 * @throws WeirError `lifecycle_conflict` when what it belongs to is archived
 */
export function decideRestore(record: CatalogRecord, path: string, parent: 'site' | 'instrument'): boolean {
  if (record.isParentArchived) throw parentArchived(path, parent);
  return record.isArchivedItself;
}
