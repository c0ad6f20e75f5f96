import { faultError, WeirError } from '@weir/kit/errors';
import type { CursorBinding, Cursors } from '../cursors/cursors.js';

/** Stands for a mark that was not noted: it is older than any deployment keeps changes. */
export const unknownMark = '3:3: 0';

/** A mark is good for every key of its project: who follows changes outlives keys. */
function bindingOf(projectId: string): CursorBinding {
  return { operation: 'change_mark', projectId, keyId: '', filters: {} };
}

/** A mark of the observations service as clients get it. */
export function sealMark(cursors: Cursors, mark: string, projectId: string): string {
  return cursors.seal(mark, bindingOf(projectId));
}

/**
 * Reads what `sealMark` wrote.
 *
 * @throws WeirError `invalid_request` when it was altered or is another project's
 */
export function openMark(cursors: Cursors, sealed: string, projectId: string): string {
  try {
    return cursors.open(sealed, bindingOf(projectId));
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    const message =
      'Give the change_mark of an earlier answer of this project as it was, or read without changed_since.';
    throw faultError('invalid_request', { path: 'query/changed_since', code: 'invalid_mark', message });
  }
}
