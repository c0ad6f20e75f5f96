import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intervalUsOf, type Rate, takeTokens } from './gcra.js';

const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 300 }) });

function taker(rate: Rate) {
  let arrivalUs: number | undefined;
  return (nowUs: number, cost = 1) => {
    const taken = takeTokens(arrivalUs, nowUs, rate, cost);
    arrivalUs = taken.arrivalUs;
    return taken.decision;
  };
}

test('a burst is allowed whole and nothing more', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 0, max: 2e15 }), (rate, nowUs) => {
      const take = taker(rate);
      for (let left = rate.burst - 1; left >= 0; left--) {
        expect(take(nowUs)).toMatchObject({ isAllowed: true, remaining: left, retryAfterUs: 0 });
      }
      expect(take(nowUs)).toMatchObject({ isAllowed: false, remaining: 0 });
    }),
    { numRuns: 20 },
  );
});

test('waiting as long as a refusal says is enough, and a moment less is not', () => {
  fc.assert(
    fc.property(rates, fc.nat(), fc.integer({ min: 1, max: 300 }), (rate, nowUs, wanted) => {
      const cost = Math.min(wanted, rate.burst);
      const take = taker(rate);
      take(nowUs, rate.burst);
      const { isAllowed, retryAfterUs } = take(nowUs, cost);
      expect(isAllowed).toBe(false);
      expect(take(nowUs + Math.ceil(retryAfterUs) - 1, cost).isAllowed).toBe(false);
      expect(take(nowUs + Math.ceil(retryAfterUs), cost).isAllowed).toBe(true);
    }),
  );
});

test('no stretch of time allows more than the burst and what was refilled', () => {
  const gaps = fc.array(fc.nat(50_000), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(rates, gaps, (rate, between) => {
      const take = taker(rate);
      const allowedAtUs: number[] = [];
      let nowUs = 0;
      for (const gapUs of between) {
        nowUs += gapUs;
        if (take(nowUs).isAllowed) allowedAtUs.push(nowUs);
      }
      for (let from = 0; from < allowedAtUs.length; from++) {
        const spanUs = (allowedAtUs.at(-1) ?? 0) - (allowedAtUs[from] ?? 0);
        expect(allowedAtUs.length - from).toBeLessThanOrEqual(rate.burst + spanUs / intervalUsOf(rate) + 1e-6);
      }
    }),
  );
});

test('tells when all tokens are back', () => {
  const take = taker({ perSecond: 10, burst: 20 });
  expect(take(0, 5).resetUs).toBe(500_000);
  expect(take(250_000).resetUs).toBe(350_000);
  expect(take(10_000_000).remaining).toBe(19);
});
