import { describe, expect, test } from 'vitest';
import { followPages } from './pages.js';

/** Pages over the numbers below `count`, never more than 1,000 at a time. */
function pagesOf(count: number) {
  const asked: number[] = [];
  const fetchPage = async ({ limit, after }: { limit: number; after: string }) => {
    asked.push(limit);
    const start = Number(after);
    const end = Math.min(start + Math.min(limit, 1000), count);
    const items = Array.from({ length: end - start }, (_, at) => start + at);
    return { items, nextAfter: end < count ? String(end) : '' };
  };
  return { asked, fetchPage };
}

describe('followPages', () => {
  test.each([
    [0, 100, [100], false],
    [100, 100, [100], false],
    [101, 100, [100], true],
    [2500, 2500, [1000, 1000, 500], false],
    [2500, 2400, [1000, 1000, 400], true],
    [1000, 5000, [1000], false],
  ])('of %i records, %i at most', async (count, limit, pages, hasMore) => {
    const { asked, fetchPage } = pagesOf(count);
    const followed = await followPages({ limit, pageMax: 1000 }, fetchPage);
    expect(followed.records).toEqual(Array.from({ length: Math.min(count, limit) }, (_, at) => at));
    expect(followed.hasMore).toBe(hasMore);
    expect(asked).toEqual(pages);
  });

  test('goes on over an empty page', async () => {
    const pages = [
      { items: [], nextAfter: 'a' },
      { items: [1], nextAfter: '' },
    ];
    const followed = await followPages(
      { limit: 5, pageMax: 100 },
      async () => pages.shift() ?? { items: [], nextAfter: '' },
    );
    expect(followed).toEqual({ records: [1], hasMore: false });
  });
});
