import fc from 'fast-check';
import { expect, test } from 'vitest';
import { greatestId, idTimeUs, isId, leastIdAt, newId } from './index.js';

test('an id tells when it was made', () => {
  const before = Date.now();
  const us = idTimeUs(newId());
  expect(us).toBeGreaterThanOrEqual(before * 1000);
  expect(us).toBeLessThanOrEqual(Date.now() * 1000);
});

test('bounds of time are bounds of ids', () => {
  const instant = fc.integer({ min: 0, max: Date.UTC(2250, 0, 1) * 1000 });
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), instant, (id, us) => {
      expect(id >= leastIdAt(us)).toBe(idTimeUs(id) >= us);
      expect(id < greatestId).toBe(true);
    }),
  );
  expect(leastIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000');
  expect(isId(leastIdAt(Number.MAX_SAFE_INTEGER))).toBe(true);
});
