import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linePattern } from './line-pattern.js';

const codesOf = (pattern: string): (string | undefined)[] =>
  linePattern.safeParse(pattern).error?.issues.map((issue) => (issue as { params?: { code: string } }).params?.code) ??
  [];

test.each([
  '\\x{110000}',
  '[\\x{110000}]',
  '[a-\\x{110000}]',
  '(?i)\\x{110000}',
  '\\x{FFFFFFFFFFFFFFFFFFFFFFFFF}',
  '\\x{-1}',
  '\\x{}',
  '\\x{',
  '\\x',
  '\\u{110000}',
  '\\U00110000',
  '\\p{Nothing}',
  '[z-a]',
  'a{1001}',
  '(?<a>b)(?<a>c)',
  '(?=a)',
  '\\1',
  '(',
])('%s is refused as a pattern', (pattern) => {
  expect(codesOf(pattern)).toEqual(['invalid_pattern']);
});

test.each(['\\x{10FFFF}', '[\\x{0}-\\x{10FFFF}]', '\\x{D800}', '\\Q\\x{110000}', '\\p{Greek}'])(
  '%s is a pattern',
  (pattern) => {
    expect(codesOf(pattern)).toEqual([]);
  },
);

test('whatever a pattern is, it is taken or refused, and nothing is thrown', () => {
  const piece = fc.constantFrom(
    ...[
      '\\x{',
      '110000',
      '10FFFF',
      'D800',
      '}',
      '\\',
      'x',
      'u',
      'p{',
      'P{^',
      'Greek',
      '[',
      '[^',
      ']',
      '-',
      '[:alpha:]',
      '(',
      '(?',
      '(?P<',
      '(?i)',
      'n',
      '>',
    ],
    ...[
      ')',
      '*',
      '+?',
      '{',
      '{1000}',
      '{,',
      '{2,1}',
      '|',
      '^',
      '$',
      '.',
      '\\Q',
      '\\E',
      '\\b',
      '\\C',
      '\\z',
      '\\777',
      'ſ',
      '\u{10ffff}',
      '\ud800',
      '\0',
      '\n',
    ],
  );
  const pattern = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(pattern, (text) => {
      expect(() => linePattern.safeParse(text)).not.toThrow();
    }),
    { numRuns: 5000 },
  );
});

test.each(['[', '[[:', '\\Q', '(', 'a{9}'])(
  'S14: takes no more than 50 ms of the processor for 100 kB of %s',
  (unit) => {
    const before = process.cpuUsage();
    expect(codesOf(unit.repeat(100_000 / unit.length))).toEqual(['invalid_text']);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(50);
  },
);
