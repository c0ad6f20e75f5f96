import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKey, type KeyKind, parseKey } from './keys.js';

const kinds = fc.constantFrom<KeyKind>('developer', 'ingestion');
const scanner = /weir_(dev|ing)_[0-9a-f]{32}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}/;

describe('createKey', () => {
  test('gives a text that parses to what it was made of', () => {
    fc.assert(
      fc.property(kinds, fc.uuid(), (kind, id) => {
        const key = createKey(kind, id);
        expect(key.plaintext).toHaveLength(92);
        expect(key.plaintext).toMatch(scanner);
        expect(key.plaintext.endsWith(key.hint)).toBe(true);
        expect(parseKey(key.plaintext)).toEqual({ kind, id, secretSha256: key.secretSha256 });
      }),
    );
  });

  test('keeps the SHA-256 of the secret part', () => {
    const key = createKey('developer', '01920000-0000-7000-8000-000000000000');
    const secret = key.plaintext.split('_')[3] ?? '';
    expect(key.secretSha256).toEqual(createHash('sha256').update(secret).digest());
  });

  test('never gives one secret twice', () => {
    const id = '01920000-0000-7000-8000-000000000000';
    const texts = Array.from({ length: 500 }, () => createKey('ingestion', id).plaintext);
    expect(new Set(texts).size).toBe(500);
  });
});

describe('parseKey', () => {
  test('reads a key that was given out before', () => {
    const text = 'weir_dev_01920000000070008000000000000001_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_0uLW06';
    expect(parseKey(text)).toMatchObject({ kind: 'developer', id: '01920000-0000-7000-8000-000000000001' });
  });

  test('refuses a key with any one character changed', () => {
    const { plaintext } = createKey('developer', '01920000-0000-7000-8000-000000000000');
    fc.assert(
      fc.property(
        fc.nat(plaintext.length - 1),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        (at, other) => {
          fc.pre(plaintext[at] !== other);
          expect(parseKey(plaintext.slice(0, at) + other + plaintext.slice(at + 1))).toBeUndefined();
        },
      ),
    );
  });

  test('refuses anything else, of any length', () => {
    fc.assert(fc.property(fc.string(), (text) => parseKey(text) === undefined));
    const { plaintext } = createKey('developer', '01920000-0000-7000-8000-000000000000');
    for (const text of [
      `${plaintext}\n`,
      ` ${plaintext}`,
      plaintext.toUpperCase(),
      plaintext.slice(0, -1),
      'w'.repeat(1e6),
    ])
      expect(parseKey(text)).toBeUndefined();
  });
});
