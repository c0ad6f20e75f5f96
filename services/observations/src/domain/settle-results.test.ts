import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeOf } from '../../test/range-of.js';
import { accountFor } from './account.js';
import { uniteRanges } from './combine-ranges.js';
import { settleResults } from './settle-results.js';
import { planWrites } from './write-results.js';

const size = 20;
const all = Array.from({ length: size }, (_, us) => us);
const value = fc.constantFrom(1, 2, Number.NaN);
/** By instant: whether it is in the ranges, whether it is evaluated and to what, what is stored. */
const places = fc.array(fc.record({ isMarked: fc.boolean(), isDriven: fc.boolean(), value, stored: value }), {
  minLength: size,
  maxLength: size,
});

test('what is stored becomes what was evaluated, and what differs is told with what lies between', () => {
  fc.assert(
    fc.property(places, (found) => {
      const at = (us: number) => found[us] as (typeof found)[number];
      const ranges = uniteRanges(all.filter((us) => at(us).isMarked).map((us) => rangeOf(us, us + 1)));
      const evaluated = all.filter((us) => at(us).isMarked && at(us).isDriven);
      const stored = all.filter((us) => at(us).isMarked && !Number.isNaN(at(us).stored));
      const evaluation = {
        instantsUs: Float64Array.from(evaluated),
        values: Float64Array.from(evaluated, (us) => at(us).value),
        reasons: Uint8Array.from(evaluated, (us) => (Number.isNaN(at(us).value) ? 2 : 0)),
        untilUs: Number.POSITIVE_INFINITY,
      };
      const before = { atUs: Float64Array.from(stored), values: Float64Array.from(stored, (us) => at(us).stored) };
      const settled = settleResults(ranges, evaluation, before);

      const after = (us: number): number => (at(us).isMarked && !at(us).isDriven ? Number.NaN : at(us).value);
      const differs = (us: number): boolean => at(us).isMarked && !Object.is(after(us), at(us).stored);
      expect([...settled.instantsUs]).toEqual(all.filter(differs));
      const isEmpty = (us: number): boolean => Number.isNaN(at(us).stored) && Number.isNaN(after(us));
      settled.instantsUs.forEach((us, i) => {
        const last = settled.instantsUs[i - 1];
        const between = last === undefined ? [] : all.slice(last + 1, us);
        // outside of the ranges nobody has looked
        const isJoined = last !== undefined && between.every((other) => at(other).isMarked && isEmpty(other));
        expect(settled.joined[i]).toBe(isJoined ? 1 : 0);
      });

      const plan = planWrites(evaluation, settled, stored.length);
      const results = new Map(stored.map((us) => [us, at(us).stored]));
      for (const us of plan.deletesUs) results.delete(us);
      for (const { atUs, values } of [plan.inserts, plan.puts])
        atUs.forEach((us, i) => results.set(us, values[i] as number));
      const wanted = evaluated.filter((us) => !Number.isNaN(at(us).value));
      expect([...results].sort(([a], [b]) => a - b)).toEqual(wanted.map((us) => [us, at(us).value]));

      const missing = evaluated.length - wanted.length;
      const account = { instants: evaluated.length, missing: missing === 0 ? {} : { division_by_zero: missing } };
      expect(accountFor(evaluation, rangeOf(0, size))).toEqual(account);
    }),
    { seed: 42, numRuns: 500 },
  );
});

test('where most of many results change all are written again', () => {
  const instantsUs = Float64Array.from({ length: 1000 }, (_, i) => i);
  const values = instantsUs.map((us) => (us % 10 === 0 ? Number.NaN : us));
  const evaluation = { instantsUs, values, reasons: new Uint8Array(1000), untilUs: 1000 };
  const before = { atUs: instantsUs, values: instantsUs.map((us) => us + (us < 300 ? 1 : 0)) };
  const few = planWrites(evaluation, settleResults(rangeOf(0, 1000), evaluation, before), 1000);
  expect([few.isRewritten, few.inserts.atUs.length, few.puts.atUs.length, few.deletesUs.length]).toEqual([
    false,
    0,
    270,
    100,
  ]);
  const others = { atUs: instantsUs, values: instantsUs.map((us) => us + 1) };
  const many = planWrites(evaluation, settleResults(rangeOf(0, 1000), evaluation, others), 1000);
  expect([many.isRewritten, many.inserts.atUs.length, many.puts.atUs.length]).toEqual([true, 900, 0]);
});
