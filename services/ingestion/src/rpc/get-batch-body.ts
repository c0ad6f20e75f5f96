import { notFound } from '@weir/kit/errors';
import type { Pool } from '@weir/kit/sql';
import type { GetBatchBodyRequest, GetBatchBodyResponse } from '@weir/proto/ingestion';
import { selectBody } from '../store/batches.js';

/** Answers the packed points of a batch. */
export async function getBatchBody(pool: Pool, { id }: GetBatchBodyRequest): Promise<GetBatchBodyResponse> {
  const row = await selectBody.maybe(pool, { id });
  if (row === undefined) throw notFound('batch');
  return row;
}
