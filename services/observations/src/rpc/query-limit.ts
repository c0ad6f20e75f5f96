import { WeirError } from '@weir/kit/errors';

/** What PostgreSQL says of a statement that took longer than `statement_timeout`. */
const queryCanceled = '57014';

function isCanceled(error: unknown): error is WeirError {
  return error instanceof WeirError && (error.cause as { code?: unknown } | undefined)?.code === queryCanceled;
}

/** Tells a query that was ended for its length as `query_too_large`: trying again would not help. */
export async function asQueryLimit<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (!isCanceled(error)) throw error;
    const message = 'The query takes longer than this deployment allows; ask for a shorter range or fewer variables.';
    throw new WeirError('query_too_large', message, { cause: error.cause });
  }
}
