import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { GatheredTakes, type Order, type PlacedDecision, type Taken } from './gathered-takes.js';
import { intervalUsOf, type Rate, takeTokens } from './gcra.js';
import type { Places } from './held-places.js';

/** Rates on a clock that stands still, and places: what an order is answered, and what each caller alone would have been. */
function standStill(arrivalUs: number) {
  const arrivals = new Map<string, number>();
  const taken = new Map<string, number>();
  const take = (key: string, rate: Rate, cost: number, places?: Places): PlacedDecision => {
    const inUse = taken.get(key) ?? 0;
    const isFull = places !== undefined && inUse >= places.max;
    const { arrivalUs: next, decision } = takeTokens(arrivals.get(key) ?? arrivalUs, 0, rate, isFull ? 0 : cost);
    arrivals.set(key, next);
    if (places !== undefined && decision.isAllowed && !isFull) taken.set(key, inUse + 1);
    const excessUs = next + (cost - rate.burst) * intervalUsOf(rate);
    return isFull
      ? { ...decision, isAllowed: false, isFull, retryAfterUs: Math.max(0, excessUs) }
      : { ...decision, isFull };
  };
  const answer = ({ key, rate, cost, places, count }: Order): Taken => {
    let allowed = 0;
    let decision = take(key, rate, 0);
    while (allowed < count) {
      decision = take(key, rate, cost, places);
      if (!decision.isAllowed) return { ...decision, allowed };
      allowed++;
    }
    return { ...decision, allowed };
  };
  return { take, answer };
}

test('each caller is told what it would have been told alone, in turn', async () => {
  const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 60 }) });
  const costs = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom(1, 3)), { minLength: 1, maxLength: 100 });
  const most = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(rates, costs, most, fc.nat(1000), async (rate, asked, max, arrivalUs) => {
      const together = standStill(arrivalUs);
      const alone = standStill(arrivalUs);
      const orders: Order[] = [];
      const takes = new GatheredTakes(async (given) => {
        orders.push(...given);
        return given.map(together.answer);
      });
      const keys = asked.map(([key, cost]) => ({ key: `${key} ${cost}`, cost }));
      const placesOf = (key: string) => (max === undefined ? undefined : { key, max });
      const decisions = await Promise.all(keys.map(({ key, cost }) => takes.take(key, rate, cost, placesOf(key))));
      expect(decisions).toEqual(keys.map(({ key, cost }) => alone.take(key, rate, cost, placesOf(key))));
      expect(orders.length).toBe(new Set(keys.map(({ key }) => key)).size);
    }),
    { numRuns: 50 },
  );
});

test('who comes while an answer is waited for is asked for with the next question', async () => {
  const asked: number[] = [];
  const answers: PromiseWithResolvers<readonly Taken[]>[] = [];
  const takes = new GatheredTakes(([order]) => {
    asked.push(order?.count ?? 0);
    const answer = Promise.withResolvers<readonly Taken[]>();
    answers.push(answer);
    return answer.promise;
  });
  const rate = { perSecond: 10, burst: 10 };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const first = takes.take('key', rate, 1);
  await turn();
  const rest = [takes.take('key', rate, 1), takes.take('key', rate, 1)];
  await turn();
  expect(asked).toEqual([1]);
  answers[0]?.resolve([{ allowed: 1, remaining: 9, retryAfterUs: 0, resetUs: 100_000, isFull: false }]);
  await first;
  await expect.poll(() => asked.length).toBe(2);
  answers[1]?.resolve([{ allowed: 1, remaining: 0, retryAfterUs: 5, resetUs: 1_000_000, isFull: false }]);
  expect((await Promise.all(rest)).map(({ isAllowed }) => isAllowed)).toEqual([true, false]);
  expect(asked).toEqual([1, 2]);
});

test('a question follows the one before after a moment, or at once when many wait for it', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    const asked: number[] = [];
    const takes = new GatheredTakes(async (orders) => {
      asked.push(...orders.map(({ count }) => count));
      return orders.map(({ count }) => ({ allowed: count, remaining: 0, retryAfterUs: 0, resetUs: 0, isFull: false }));
    });
    const take = () => takes.take('key', { perSecond: 10, burst: 10 }, 1);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await take();
    const few = Array.from({ length: 15 }, take);
    await turn();
    expect(asked).toEqual([1]);
    await take().then(() => Promise.all(few));
    expect(asked).toEqual([1, 16]);
    const last = take();
    await turn();
    expect(asked).toEqual([1, 16]);
    vi.advanceTimersByTime(3);
    await last;
    expect(asked).toEqual([1, 16, 1]);
  } finally {
    vi.useRealTimers();
  }
});

test('a failure is that of all who asked together, and of nobody after', async () => {
  let isBroken = true;
  const takes = new GatheredTakes(async (orders) => {
    if (isBroken) throw new Error('away');
    return orders.map(({ count }) => ({ allowed: count, remaining: 0, retryAfterUs: 0, resetUs: 0, isFull: false }));
  });
  const rate = { perSecond: 10, burst: 10 };
  const failed = await Promise.allSettled([takes.take('a', rate, 1), takes.take('b', rate, 1)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect((await takes.take('a', rate, 1)).isAllowed).toBe(true);
});
