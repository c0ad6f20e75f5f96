import { describe, expect, test } from 'vitest';
import { decideSlot } from './rotation.js';

const secret = (slot: number, revokedAtUs?: number) => ({
  id: `s${slot}`,
  slot,
  hint: 'abcd',
  createdAtUs: 0,
  revokedAtUs,
});

describe('decideSlot', () => {
  test.each([
    [[], 1],
    [[secret(1)], 2],
    [[secret(2)], 1],
    [[secret(1, 5), secret(2)], 1],
    [[secret(1, 5), secret(2, 5)], 1],
  ])('finds the free slot of %j', (secrets, slot) => {
    expect(decideSlot({ secrets }, 10)).toBe(slot);
  });

  test.each([
    [{ secrets: [secret(1), secret(2)] }, 'two_live_secrets'],
    [{ secrets: [], revokedAtUs: 5 }, 'revoked'],
    [{ secrets: [], expiresAtUs: 10 }, 'expired'],
  ])('refuses %j', (record, code) => {
    expect(() => decideSlot(record, 10)).toThrow(
      expect.objectContaining({ code: 'lifecycle_conflict', details: [expect.objectContaining({ code })] }),
    );
  });
});
