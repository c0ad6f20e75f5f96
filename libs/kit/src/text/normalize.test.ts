import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namePattern, normalizeFreeText, normalizeName, normalizeTitle, titlePattern } from './normalize.js';

describe('normalizeName', () => {
  test('composes and trims', () => {
    expect(normalizeName('  Cafe\u0301 \n')).toBe('Caf\u00e9');
  });

  test.each(['', ' \t ', 'a\u0000b', 'a\nb', 'a\u0085b', '\ud800', 'x'.repeat(257), '\u{1f30a}'.repeat(257)])(
    'refuses %j',
    (text) => {
      expect(normalizeName(text)).toBeUndefined();
    },
  );

  test('counts code points, not UTF-16 units', () => {
    expect(normalizeName('\u{1f30a}'.repeat(256))).toBe('\u{1f30a}'.repeat(256));
  });

  test('measures what it has composed and trimmed', () => {
    const longest = '\u1f82'.repeat(256);
    expect(normalizeName(`${' '.repeat(10_000)}${longest.normalize('NFD')}${'\n'.repeat(10_000)}`)).toBe(longest);
    expect(normalizeName(`${longest.normalize('NFD')}a`)).toBeUndefined();
  });

  test.each([
    ['marks out of order', '\u0315\u0300'],
    ['marks of one class after those of another', '\u0315'.repeat(25_000) + '\u0300'.repeat(25_000)],
    ['letters that decompose into several', '\u{1d160}'],
    ['parts of syllables', '\u1100\u1161\u11a8'],
    ['blanks', ' \u3000'],
    ['halves of pairs', '\ud83d'],
  ])('S14: takes no more than 50 ms of the processor for 100 kB of %s', (_, unit) => {
    const text = `a${unit.repeat(Math.ceil(100_000 / Buffer.byteLength(unit)))}b`;
    const before = process.cpuUsage();
    expect(normalizeName(text)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(50);
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = normalizeName(text);
        fc.pre(name !== undefined);
        expect(normalizeName(name)).toBe(name);
      }),
    );
  });
});

test('patterns say what is a name or a title, but for length', () => {
  const [name, title] = [new RegExp(namePattern, 'u'), new RegExp(titlePattern, 'u')];
  const character = fc.oneof(
    fc.constantFrom(...'\t\n\r\v\f \x1c\x1f\x7f\x85\xa0\ufeff\u1680\u200b\u2028\u3000ab'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 6 }), (characters) => {
      const text = characters.join('');
      expect(name.test(text)).toBe(normalizeName(text) !== undefined);
      expect(title.test(text)).toBe(normalizeTitle(text) !== undefined);
    }),
    { numRuns: 2000 },
  );
});

test('normalizeTitle takes what a name may be, and nothing', () => {
  expect(normalizeTitle(' Cafe\u0301 ')).toBe('Caf\u00e9');
  expect(normalizeTitle(' ')).toBe('');
  for (const text of ['a\nb', '\ud800', 'x'.repeat(257)]) expect(normalizeTitle(text)).toBeUndefined();
});

describe('normalizeFreeText', () => {
  test('keeps a text as it came', () => {
    expect(normalizeFreeText(' line one\nline two ')).toBe(' line one\nline two ');
    expect(normalizeFreeText('x'.repeat(4096))).toHaveLength(4096);
  });

  test('has another limit where one is given', () => {
    expect(normalizeFreeText('\u{1f30a}'.repeat(3), 3)).toHaveLength(6);
    expect(normalizeFreeText('\u{1f30a}'.repeat(4), 3)).toBeUndefined();
  });

  test.each(['x'.repeat(4097), 'a\0', '\udc00'])('refuses %j', (text) => {
    expect(normalizeFreeText(text)).toBeUndefined();
  });
});
