import { notFound } from '@weir/kit/errors';
import type { Pool } from '@weir/kit/sql';
import type { GetBatchBodyRequest, GetBatchBodyResponse } from '@weir/proto/ingestion';
import { saidPublicId } from '../domain/batch-name.js';
import { selectBody } from '../store/batches.js';

/** Answers the packed points of a batch. */
export async function getBatchBody(pool: Pool, { id, publicId }: GetBatchBodyRequest): Promise<GetBatchBodyResponse> {
  const row = await selectBody.maybe(pool, { id, publicId: saidPublicId(publicId) ?? null });
  if (row === undefined) throw notFound('batch');
  return row;
}
