import type { Pool } from '@weir/kit/sql';
import type { QueuedBatch } from '@weir/proto/ingestion';
import type { Resolution } from '../domain/resolution.js';
import { fromVariableIds } from '../domain/variable-ids.js';
import { selectStoredBatches } from '../store/stored-batches.js';
import type { NameResolver } from './resolve-names.js';

/** What channels of batches are stored under already, by the public id of the batch and by channel. */
export type StoredNames = ReadonlyMap<string, readonly (Resolution | undefined)[]>;

/**
 * What channels of batches that were delivered before are stored under: an attempt that stored them, and ended before it
 * could say so, has decided that, whatever their names mean now.
 */
export async function recallStored(
  { pool, names }: { readonly pool: Pool; readonly names: NameResolver },
  batches: readonly { readonly queued: QueuedBatch }[],
): Promise<StoredNames> {
  const projectOf = new Map(batches.map(({ queued }) => [queued.publicId, queued.projectId]));
  // a message of the release before does not say it
  projectOf.delete('');
  const rows = await selectStoredBatches.all(pool, { publicIds: [...projectOf.keys()] });
  const stored = rows.map(({ publicId, variableIds }) => ({ publicId, ids: fromVariableIds(variableIds) }));
  const recalled = new Map<string, readonly (Resolution | undefined)[]>();
  for (const [projectId, ofProject] of Map.groupBy(stored, ({ publicId }) => projectOf.get(publicId) ?? '')) {
    const wanted = new Set(ofProject.flatMap(({ ids }) => ids.filter((id) => id !== undefined)));
    const variables = await names.byIds(projectId, [...wanted]);
    for (const { publicId, ids } of ofProject) {
      recalled.set(
        publicId,
        ids.map((id) => (id === undefined ? undefined : variables.get(id))),
      );
    }
  }
  return recalled;
}
