import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeTokens } from './gcra.js';
import { StandingRefusals } from './standing-refusals.js';

test('what is refused without asking would have been refused, and with as long to wait', () => {
  const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 1000 }), burst: fc.integer({ min: 1, max: 20 }) });
  const gaps = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(rates, gaps, (rate, between) => {
      const refusals = new StandingRefusals();
      let arrivalUs: number | undefined;
      let nowUs = 0;
      for (const gapUs of between) {
        nowUs += gapUs;
        const standing = refusals.of('key', nowUs / 1000);
        const { decision, arrivalUs: next } = takeTokens(arrivalUs, nowUs, rate, 1);
        arrivalUs = next;
        if (standing === undefined) refusals.keep('key', nowUs / 1000, { ...decision, isFull: false });
        else {
          expect(decision.isAllowed).toBe(false);
          expect(standing.isAllowed).toBe(false);
          expect(standing.retryAfterUs).toBeCloseTo(decision.retryAfterUs, 3);
          expect(standing.resetUs).toBeCloseTo(decision.resetUs, 3);
        }
      }
    }),
  );
});

test('a refusal for want of a place is asked again', () => {
  const refusals = new StandingRefusals();
  refusals.keep('key', 0, { isAllowed: false, isFull: true, remaining: 1, retryAfterUs: 1e6, resetUs: 1e6 });
  expect(refusals.of('key', 0)).toBeUndefined();
});
