import { parseConfig } from '@weir/kit/config';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CursorBinding, Cursors, canonicalBinding } from './cursors.js';
import { cursorSettings } from './settings.js';

const oldKey = Buffer.alloc(32, 7);
const newKey = Buffer.alloc(32, 9);
const binding: CursorBinding = {
  operation: 'list_things',
  projectId: 'p',
  keyId: 'k',
  filters: { b: ['x', 'y'], a: 1, none: undefined },
};
const refused = expect.objectContaining({
  code: 'invalid_cursor',
  details: [expect.objectContaining({ path: 'query/cursor', code: 'invalid_cursor' })],
});
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('Cursors', () => {
  test('opens a cursor of version 1 that was given out before', () => {
    const golden = 'AbS6QD9le1hm9wnE85eqqbyEv6fEJdxNfODe3Ts89Sqb1c6-3KIJRJp6O68eS0TkumG-u6NdPb_PD4k';
    expect(new Cursors([oldKey]).open(golden, binding)).toBe('7 1769860800000000');
  });

  test('gives back any position, whatever the order of filters', () => {
    const cursors = new Cursors([oldKey]);
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.string()), (position, filters) => {
        const reversed = Object.fromEntries(Object.entries(filters).reverse());
        const cursor = cursors.seal(position, { ...binding, filters });
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(cursors.open(cursor, { ...binding, filters: reversed })).toBe(position);
      }),
    );
  });

  test('seals no position twice alike, and opens what another gateway has sealed', () => {
    const [one, other] = [new Cursors([newKey]), new Cursors([newKey])];
    const sealed = Array.from({ length: 100 }, () => one.seal('here', binding));
    expect(new Set(sealed).size).toBe(100);
    for (const cursor of sealed)
      expect([one, other].map((each) => each.open(cursor, binding))).toEqual(['here', 'here']);
  });

  test('S15: a new key seals, an old one still opens', () => {
    const before = new Cursors([oldKey]).seal('here', binding);
    const during = new Cursors([newKey, oldKey]);
    expect(during.open(before, binding)).toBe('here');
    expect(new Cursors([newKey]).open(during.seal('there', binding), binding)).toBe('there');
    expect(codeOf(() => new Cursors([newKey]).open(before, binding))).toEqual(refused);
  });

  test('opens for each binding that it may have, by any key', () => {
    const former = { ...binding, filters: { ...binding.filters, zone: 'UTC' } };
    const before = new Cursors([oldKey]).seal('here', former);
    expect(new Cursors([newKey, oldKey]).open(before, binding, former)).toBe('here');
    expect(codeOf(() => new Cursors([newKey]).open(before, binding, former))).toEqual(refused);
  });

  test.each<[string, Partial<CursorBinding>]>([
    ['operation', { operation: 'list_others' }],
    ['project', { projectId: 'q' }],
    ['key', { keyId: 'l' }],
    ['filter value', { filters: { ...binding.filters, a: 2 } }],
    ['type of a filter value', { filters: { ...binding.filters, a: '1' } }],
    ['order of a list', { filters: { ...binding.filters, b: ['y', 'x'] } }],
    ['filter more', { filters: { ...binding.filters, c: false } }],
    ['filter less', { filters: { a: 1 } }],
  ])('is refused with another %s', (_, other) => {
    const cursors = new Cursors([oldKey]);
    expect(codeOf(() => cursors.open(cursors.seal('here', binding), { ...binding, ...other }))).toEqual(refused);
  });

  test('S15: is refused when any character was changed, added or taken', () => {
    const cursors = new Cursors([oldKey]);
    const cursor = cursors.seal('7 1769860800000000', binding);
    const characters = fc.constantFrom(...'ABab01-_+/=. é');
    fc.assert(
      fc.property(fc.nat(cursor.length), fc.nat(1), characters, (at, taken, put) => {
        const altered = cursor.slice(0, at) + put + cursor.slice(at + taken);
        fc.pre(altered !== cursor);
        expect(codeOf(() => cursors.open(altered, binding))).toEqual(refused);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(codeOf(() => cursors.open(text, binding))).toEqual(refused);
      }),
    );
  });

  test('S15: is refused with any bit flipped and at any shorter length, always in the same words', () => {
    const cursors = new Cursors([oldKey]);
    // of each length that leaves other bits of the last character unused
    for (const position of ['7 1769860800000000', '7 17698608000000000', '7 176986080000000000']) {
      const cursor = cursors.seal(position, binding);
      const bytes = Buffer.from(cursor, 'latin1');
      const altered = Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const copy = Buffer.from(bytes);
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return copy.toString('latin1');
      });
      const decoded = Buffer.from(cursor, 'base64url');
      const flipped = Array.from({ length: decoded.length * 8 }, (_, bit) => {
        const copy = Buffer.from(decoded);
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return copy.toString('base64url');
      });
      const cut = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length));
      const told = [...altered, ...flipped, ...cut].map((text) => codeOf(() => cursors.open(text, binding)));
      for (const error of told) expect(error).toEqual(refused);
      expect(new Set(told.map((error) => (error as Error).message)).size).toBe(1);
      expect(cursors.open(cursor, binding)).toBe(position);
    }
  });
});

test('one binding has one text', () => {
  expect(canonicalBinding(binding)).toBe('["list_things","p","k",[["a",1],["b",["x","y"]]]]');
});

test('reads a ring of keys', () => {
  const ring = [newKey, oldKey].map((key) => key.toString('base64')).join(', ');
  expect(parseConfig(cursorSettings, { CURSOR_KEYS: ring }).cursorKeys).toEqual([newKey, oldKey]);
  for (const wrong of ['', 'abc', `${ring},`, Buffer.alloc(31).toString('base64')])
    expect(() => parseConfig(cursorSettings, { CURSOR_KEYS: wrong })).toThrow('CURSOR_KEYS');
});
