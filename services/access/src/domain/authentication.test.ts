import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decideAuthentication } from './authentication.js';

const nowUs = 1_000_000;
const [one, two, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const key = { nowUs, liveDigests: [one, two] };

describe('decideAuthentication', () => {
  test('accepts either live secret', () => {
    expect(decideAuthentication(key, one)).toBeUndefined();
    expect(decideAuthentication(key, two)).toBeUndefined();
    expect(decideAuthentication({ ...key, expiresAtUs: nowUs + 1 }, one)).toBeUndefined();
  });

  test('says why it refuses', () => {
    expect(decideAuthentication(undefined, one)).toBe('unknown');
    expect(decideAuthentication(key, other)).toBe('wrong_secret');
    expect(decideAuthentication({ ...key, liveDigests: [] }, one)).toBe('wrong_secret');
    expect(decideAuthentication({ ...key, revokedAtUs: 1 }, one)).toBe('revoked');
    expect(decideAuthentication({ ...key, expiresAtUs: nowUs }, one)).toBe('expired');
  });

  test.each([0, 31, 33])('refuses a digest of %i bytes', (length) => {
    expect(decideAuthentication(key, Buffer.alloc(length))).toBe('wrong_secret');
    expect(decideAuthentication({ ...key, liveDigests: [] }, Buffer.alloc(length))).toBe('wrong_secret');
  });
});
