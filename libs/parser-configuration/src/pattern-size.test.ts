import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { patternSize } from './pattern-size.js';

test.each([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['a{2,5}', 5],
  ['a{3,}', 3],
  ['a{0}', 1],
  ['(ab){10}', 40],
  ['((a{10}){10}){10}', 1220],
  ['[a-z{5}]{4}', 4],
  ['[]x]{4}', 4],
  ['[[:alpha:][]{4}', 4],
  ['\\d{4}-\\d{2}', 7],
  ['\\{5}', 3],
  ['\\Q[(\\E(ab){10}', 42],
  ['\\Q(ab){10}', 8],
  ['a)b', 3],
])('%j is about %i', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

test('no program is much larger than is said', () => {
  const atom = fc.constantFrom(
    'a',
    '.',
    '\\d',
    '[a-z]',
    '[^]x]',
    '[[:alpha:][]',
    '(?:',
    '(',
    ')',
    '|',
    '\\Q(\\E',
    '\\[',
    '^',
    '{',
    ']',
  );
  const repeat = fc.constantFrom('', '', '*', '+?', '{2}', '{1,7}', '{3,}', '{30}');
  const pattern = fc.array(fc.tuple(atom, repeat), { maxLength: 12 }).map((parts) => parts.flat().join(''));
  fc.assert(
    fc.property(pattern, (text) => {
      let program: number;
      try {
        program = RE2JS.compile(text).programSize();
      } catch {
        return;
      }
      expect(program).toBeLessThanOrEqual(3 * patternSize(text) + 10);
    }),
    { numRuns: 1000 },
  );
});
