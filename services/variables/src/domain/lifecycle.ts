import { parentArchived } from './conflicts.js';
import { Faults } from './faults.js';
import { type Actor, parseActor } from './parse-actor.js';
import type { CatalogRecord } from './record.js';

/** Who archives or restores. @throws WeirError `invalid_request` when it is not said */
export function parseChange({ actor }: { readonly actor?: Actor | undefined }): Actor {
  const faults = new Faults();
  const parsed = parseActor(actor, '/actor', faults);
  faults.throwIfAny();
  return parsed;
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
