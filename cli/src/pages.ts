/** The largest page that services answer. */
const pageMax = 1000;

/** One page of a list. */
export interface Page<R> {
  readonly items: readonly R[];
  /** Empty on the last page. */
  readonly nextAfter: string;
}

/** Follows the pages of a list until it has `limit` records or there are no more. */
export async function followPages<R>(
  limit: number,
  fetchPage: (page: { limit: number; after: string }) => Promise<Page<R>>,
): Promise<{ records: R[]; hasMore: boolean }> {
  const records: R[] = [];
  let after = '';
  do {
    const page = await fetchPage({ limit: Math.min(limit - records.length, pageMax), after });
    records.push(...page.items);
    after = page.nextAfter;
  } while (after !== '' && records.length < limit);
  return { records, hasMore: after !== '' };
}
