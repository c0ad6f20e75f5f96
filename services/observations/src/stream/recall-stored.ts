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
 * could say so, has decided that, whatever their names mean now. Where more than one has, it is the first. What was stored
 * before runs were queued again was told: they are resolved anew, since that is what an operator has them queued for.
 */
export async function recallStored(
  { pool, names }: { readonly pool: Pool; readonly names: NameResolver },
  batches: readonly { readonly queued: QueuedBatch }[],
): Promise<StoredNames> {
  const queuedBy = new Map(batches.map(({ queued }) => [queued.publicId, queued]));
  // a message of the release before does not say it
  queuedBy.delete('');
  const rows = await selectStoredBatches.all(pool, { publicIds: [...queuedBy.keys()] });
  const idsOf = new Map<string, (string | undefined)[]>();
  for (const { publicId, epoch, variableIds } of rows) {
    if (epoch < (queuedBy.get(publicId)?.queuedEpoch ?? 0)) continue;
    const first = idsOf.get(publicId) ?? [];
    idsOf.set(
      publicId,
      fromVariableIds(variableIds).map((id, channel) => first[channel] ?? id),
    );
  }
  const recalled = new Map<string, readonly (Resolution | undefined)[]>();
  for (const [projectId, ofProject] of Map.groupBy(idsOf, ([publicId]) => queuedBy.get(publicId)?.projectId ?? '')) {
    const wanted = new Set(ofProject.flatMap(([, ids]) => ids.filter((id) => id !== undefined)));
    const variables = await names.byIds(projectId, [...wanted]);
    for (const [publicId, ids] of ofProject) {
      recalled.set(
        publicId,
        ids.map((id) => (id === undefined ? undefined : variables.get(id))),
      );
    }
  }
  return recalled;
}
