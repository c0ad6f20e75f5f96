import { WeirError } from '@weir/kit/errors';

/** What PostgreSQL says of a statement that took longer than `statement_timeout`. */
const queryCanceled = '57014';

/** Tells a query that was ended for its length as `query_too_large`. */
export async function asQueryLimit<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: unknown }).code !== queryCanceled) throw error;
    const message = 'The query takes longer than this deployment allows; ask for a shorter range or fewer variables.';
    throw new WeirError('query_too_large', message, { cause: error });
  }
}
