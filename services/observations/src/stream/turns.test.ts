import { afterEach, expect, test, vi } from 'vitest';
import type { Delivery } from './delivery.js';
import { Turns } from './turns.js';

const live = 'live';
const bulk = 'bulk';

afterEach(() => {
  vi.useRealTimers();
});

function delivery(name: string, weight = 1, suspicion: 0 | 1 | 2 = 0): Delivery {
  return { message: { subject: name }, batches: [], weight, suspicion } as unknown as Delivery;
}

/** Whether it is there at once. */
function isTaken(taking: Promise<unknown>): Promise<unknown> {
  return Promise.race([taking.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);
}

async function take(turns: Turns): Promise<string[] | undefined> {
  const taken = await turns.take();
  return taken?.map(({ message }) => message.subject);
}

test('merges what waits, one message of each shard after the other', async () => {
  const turns = new Turns(5);
  for (const name of ['a1', 'a2', 'a3', 'a4']) turns.put(live, 0, delivery(name));
  turns.put(live, 2, delivery('c1'));
  turns.put(live, 3, delivery('d1', 2));
  expect(await take(turns)).toEqual(['a1', 'c1', 'd1', 'a2']);
  expect(await take(turns)).toEqual(['a3', 'a4']);
});

test('a message that does not fit has its turn first in the next merge, and one that never fits goes alone', async () => {
  const turns = new Turns(5);
  turns.put(live, 0, delivery('a1', 4));
  turns.put(live, 0, delivery('a2', 1));
  turns.put(live, 1, delivery('b1', 9));
  expect(await take(turns)).toEqual(['a1']);
  expect(await take(turns)).toEqual(['b1']);
  expect(await take(turns)).toEqual(['a2']);
});

test('a message that came before goes alone', async () => {
  const turns = new Turns(5);
  turns.put(live, 0, delivery('a1'));
  turns.put(live, 1, delivery('b1', 1, 1));
  turns.put(live, 2, delivery('c1'));
  expect(await take(turns)).toEqual(['a1']);
  expect(await take(turns)).toEqual(['b1']);
  expect(await take(turns)).toEqual(['c1']);
});

test('live goes before bulk, and bulk is not starved', async () => {
  const turns = new Turns(1);
  for (let i = 0; i < 9; i++) turns.put(live, 0, delivery(`live${i}`));
  for (let i = 0; i < 2; i++) turns.put(bulk, 0, delivery(`bulk${i}`));
  const order: string[] = [];
  for (let i = 0; i < 11; i++) order.push(...((await take(turns)) ?? []));
  expect(order).toEqual([
    ...['live0', 'live1', 'live2', 'live3', 'bulk0', 'live4', 'live5', 'live6', 'live7', 'bulk1', 'live8'],
  ]);
});

test('takers wait for messages, and pulls for room', async () => {
  const turns = new Turns(1);
  const first = take(turns);
  const second = take(turns);
  turns.put(live, 0, delivery('a'));
  turns.put(live, 0, delivery('b'));
  expect(await Promise.all([first, second])).toEqual([['a'], ['b']]);
});

test('a shard has room for two merges, within bounds', async () => {
  const turns = new Turns(100);
  expect(await turns.room(live, 0)).toBe(2);
  turns.put(live, 0, delivery('a', 1));
  expect(await turns.room(live, 0)).toBe(63);
  turns.put(live, 0, delivery('b', 10));
  expect(await turns.room(live, 0)).toBe(18);
  turns.put(live, 0, delivery('c', 1000));
  const room = turns.room(live, 0);
  expect(await take(turns)).toEqual(['a', 'b']);
  expect(await room).toBe(1);
});

test('a turn soon after another waits for company, unless there is enough for a whole merge', async () => {
  const turns = new Turns(4);
  // where this machine stands still in between, a turn is soon no longer: then once more
  await expect
    .poll(async () => {
      turns.put(live, 0, delivery('a'));
      expect(await take(turns)).toEqual(['a']);
      turns.put(live, 0, delivery('b'));
      const together = take(turns);
      turns.put(live, 0, delivery('c'));
      return (await together)?.join(' ') ?? (await take(turns));
    })
    .toBe('b c');
  turns.put(live, 0, delivery('d', 4));
  expect(await isTaken(take(turns))).toBe(true);
});

test.for([
  ['by the root of their number', { mergeMs: 1000, requests: 16, points: 1, pauseMs: 44 }],
  ['twice as long for four times as many', { mergeMs: 1000, requests: 64, points: 1, pauseMs: 88 }],
  ['but not beyond three times the last merge', { mergeMs: 10, requests: 1000, points: 1, pauseMs: 30 }],
  ['nor beyond 90 ms', { mergeMs: 1000, requests: 1000, points: 1, pauseMs: 90 }],
  ['half as long where points are as dear as the merge', { mergeMs: 1000, requests: 16, points: 500, pauseMs: 22 }],
  ['hardly where they are most of it', { mergeMs: 1000, requests: 1, points: 4500, pauseMs: 2 }],
] as const)(
  'a turn after one of many requests waits longer: %s',
  async ([, { mergeMs, requests, points, pauseMs }]) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const turns = new Turns(10_000);
    turns.noteMerge(mergeMs);
    turns.put(live, 0, { ...delivery('many', requests * points), batches: Array(requests).fill({ points: {} }) });
    expect(await take(turns)).toEqual(['many']);
    turns.put(live, 0, delivery('next'));
    const next = take(turns);
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(await isTaken(next)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toEqual(['next']);
  },
);

test.for([1, 1000])('a steady load settles at the same pause after a first turn of %i requests', async (first) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  const turns = new Turns(1000);
  turns.noteMerge(1000);
  const perMs = 0.5;
  let pauseMs = first / perMs;
  for (let turn = 0; turn < 20; turn++) {
    const requests = Math.max(Math.round(pauseMs * perMs), 1);
    turns.put(live, 0, { ...delivery('some'), batches: Array(requests).fill({ points: {} }) });
    const taking = turns.take();
    for (pauseMs = 0; !(await isTaken(taking)); pauseMs++) await vi.advanceTimersByTimeAsync(1);
  }
  expect(pauseMs).toBeGreaterThan(55);
  expect(pauseMs).toBeLessThan(65);
});

test('a turn waits for no company that has no room, and is woken by what fills a merge', async () => {
  const turns = new Turns(1000);
  const many = { ...delivery('many'), batches: Array(1000).fill({ points: {} }) };
  turns.put(live, 0, many);
  turns.noteMerge(1000);
  expect(await take(turns)).toEqual(['many']);
  const waiting = take(turns);
  // more than half of what may wait of a shard: no further ones are asked for
  for (let i = 0; i < 33; i++) turns.put(live, 0, delivery(`small${i}`));
  expect(await isTaken(waiting)).toBe(true);
  turns.put(live, 0, many);
  expect(await take(turns)).toEqual(['many']);
  const full = take(turns);
  turns.put(live, 1, delivery('large', 1000));
  expect(await isTaken(full)).toBe(true);
});

test('closing ends all waiting and leaves the rest', async () => {
  const turns = new Turns(1);
  for (let i = 0; i < 9; i++) turns.put(bulk, 3, delivery(String(i), 1));
  const room = turns.room(bulk, 3);
  turns.close();
  expect(await room).toBe(0);
  expect(await take(turns)).toBeUndefined();
  expect(turns.rest).toHaveLength(9);
});
