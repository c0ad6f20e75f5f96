import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyData, instantArray, instantsFromBytes } from './binary.js';

/** Microseconds since 2000 as eight bytes, by whole numbers without bounds. */
function timestamp(us: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(us) - 946_684_800_000_000n);
  return bytes;
}

const instant = fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs });
/** The ends and what lies around the epochs of Unix and PostgreSQL, where words are borrowed. */
const edges = [observationInstantMinUs, observationInstantEndUs, 0, 946_684_800_000_000].flatMap((us) =>
  [-1, 0, 1].map((step) => us + step),
);

test('every instant of an observation keeps its microsecond on the way to PostgreSQL and back', () => {
  const check = (us: number): void => {
    const stored = timestamp(us);
    const one = Float64Array.of(us);
    expect(instantArray(one).subarray(24, 32)).toEqual(stored);
    const row = { count: 1, variableKeys: one, instantsUs: one, values: one, admitted: one };
    expect(copyData(row).subarray(37, 45)).toEqual(stored);
    expect(instantsFromBytes(stored)).toEqual(one);
  };
  edges.forEach(check);
  fc.assert(fc.property(instant, check), { numRuns: 2000 });
});
