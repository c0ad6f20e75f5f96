/** One page of a list. */
export interface Page<R> {
  readonly items: readonly R[];
  /** Empty on the last page. */
  readonly nextAfter: string;
}

/** How many records one page may have. */
export interface PageLimits {
  /** How many records are wanted in all. */
  readonly limit: number;
  /** The largest page that the service answers. */
  readonly pageMax: number;
}

/**
 * Follows the pages of a list until it has `limit` records or there are no more. A page may be
 * short, even empty, and have a next one.
 */
export async function followPages<R>(
  { limit, pageMax }: PageLimits,
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
