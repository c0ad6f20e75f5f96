import { WeirError } from '../errors/index.js';
import { formatInstant } from '../time/index.js';

/** The last change of a record that is edited. */
export interface SavedRevision {
  /** An integer from 1 that rises with every change. */
  readonly revision: number;
  /** Microseconds since 1970. */
  readonly updatedAtUs: number;
  readonly updatedBy: { readonly type: string; readonly id: string };
}

/**
 * Refuses a change of a record that was changed since the caller read it. To be free of races the record
 * was read in the transaction of the change, and locked.
 *
 * @param expected - the revision that the caller read; undefined: whatever it is
 * @throws WeirError `revision_conflict`, which tells the current revision, when it was saved and by whom
 */
export function checkRevision(expected: number | undefined, saved: SavedRevision): void {
  if (expected === undefined || expected === saved.revision) return;
  const { revision, updatedAtUs, updatedBy } = saved;
  const message =
    `The current revision is ${revision}, saved at ${formatInstant(updatedAtUs)} ` +
    `by ${updatedBy.type} ${updatedBy.id}; read the record and apply your change to it.`;
  // a greater one is not stale: the caller took it of another record, or of a database that was restored since
  const what = expected < revision ? `is not at revision ${expected} any more` : `has no revision ${expected} yet`;
  throw new WeirError('revision_conflict', `The record ${what}. ${message}`, {
    details: [{ path: '/expected_revision', code: 'revision_conflict', message }],
  });
}
