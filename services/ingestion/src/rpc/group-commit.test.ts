import { describe, expect, test } from 'vitest';
import { GroupCommit, type GroupCommitLimits } from './group-commit.js';

const limits: GroupCommitLimits = {
  lanes: 1,
  group: { submissions: 3, points: 100, bytes: 100 },
  waiting: { submissions: 5, bytes: 100 },
};
const one = { submissions: 1, points: 1, bytes: 1 };
const never = new AbortController().signal;

/** A commit that ends when it is told to. */
function held(given: GroupCommitLimits = limits) {
  const groups: { readonly items: readonly string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const commit = new GroupCommit<string, string>(given, async (items) => {
    const end = Promise.withResolvers<void>();
    groups.push({ items, end });
    await end.promise;
    return items.map((item) => item.toUpperCase());
  });
  return { groups, commit };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('group commit', () => {
  test('a lone call goes at once, and what waits goes together', async () => {
    const { groups, commit } = held();
    const a = commit.submit(['a'], one, never);
    const b = commit.submit(['b', 'c'], { ...one, submissions: 2 }, never);
    const d = commit.submit(['d'], one, never);
    const e = commit.submit(['e'], one, never);
    expect(groups.map((group) => group.items)).toEqual([['a']]);
    groups[0]?.end.resolve();
    expect(await a).toEqual(['A']);
    await turn();
    expect(groups[1]?.items).toEqual(['b', 'c', 'd']);
    groups[1]?.end.resolve();
    expect(await b).toEqual(['B', 'C']);
    expect(await d).toEqual(['D']);
    await turn();
    groups[2]?.end.resolve();
    expect(await e).toEqual(['E']);
  });

  test('lanes commit side by side', () => {
    const { groups, commit } = held({ ...limits, lanes: 2 });
    for (const item of ['a', 'b', 'c']) void commit.submit([item], one, never);
    expect(groups.map((group) => group.items)).toEqual([['a'], ['b']]);
  });

  test('a call larger than a group goes alone', async () => {
    const { groups, commit } = held();
    void commit.submit(['a'], one, never);
    void commit.submit(['b'], one, never);
    void commit.submit(['c'], { ...one, points: 500 }, never);
    void commit.submit(['d'], one, never);
    for (let i = 0; i < 4; i++) {
      groups[i]?.end.resolve();
      await turn();
    }
    expect(groups.map((group) => group.items)).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  test('refuses what would make too much wait, by count and by bytes', async () => {
    const { commit } = held();
    void commit.submit(['a'], one, never);
    void commit.submit(['b'], { ...one, bytes: 90 }, never);
    await expect(commit.submit(['c'], { ...one, bytes: 11 }, never)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: 1,
    });
    await expect(commit.submit(['c'], { ...one, submissions: 5 }, never)).rejects.toThrow(/overloaded/);
  });

  test('does not commit what was aborted while it waited', async () => {
    const { groups, commit } = held();
    const abort = new AbortController();
    void commit.submit(['a'], one, never);
    const b = commit.submit(['b'], one, abort.signal);
    const c = commit.submit(['c'], one, never);
    abort.abort();
    groups[0]?.end.resolve();
    await expect(b).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await turn();
    groups[1]?.end.resolve();
    expect(await c).toEqual(['C']);
    expect(groups[1]?.items).toEqual(['c']);
  });

  test('a commit that fails fails all of its group and nothing else', async () => {
    const { groups, commit } = held();
    const a = commit.submit(['a'], one, never);
    const b = commit.submit(['b'], one, never);
    groups[0]?.end.reject(new Error('no database'));
    await expect(a).rejects.toThrow('no database');
    await turn();
    groups[1]?.end.resolve();
    expect(await b).toEqual(['B']);
  });
});
