import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { syntaxes } from '../test/arbitrary-syntax.js';
import { parse } from './parse.js';
import { print } from './print.js';
import type { Syntax } from './syntax.js';

function parsed(text: string): Syntax {
  const { syntax, fault } = parse(text);
  if (syntax === undefined) throw new Error(fault.message);
  return syntax;
}

/** The same without places. */
function bare(syntax: Syntax): unknown {
  return JSON.parse(JSON.stringify(syntax, (key, value: unknown) => (key === 'offset' ? undefined : value)));
}

/** Written with all parentheses. */
function full(syntax: Syntax): string {
  switch (syntax.kind) {
    case 'number':
      return String(syntax.value);
    case 'name':
      return syntax.name;
    case 'id':
      return `{${syntax.id}}`;
    case 'negate':
      return `(-${full(syntax.operand)})`;
    case 'not':
      return `(not ${full(syntax.operand)})`;
    case 'chain':
      return syntax.rest.reduce(
        (left, right, at) => `(${left}${syntax.operators[at]}${full(right)})`,
        full(syntax.first),
      );
    case 'power':
      return `(${full(syntax.base)}^${full(syntax.exponent)})`;
    case 'compare':
      return `(${full(syntax.left)}${syntax.operator}${full(syntax.right)})`;
    case 'logical':
      return `(${syntax.operands.map(full).join(` ${syntax.operator} `)})`;
    case 'call':
      return `${syntax.name}(${syntax.operands.map(full).join(',')})`;
  }
}

describe('an expression', () => {
  test.each([
    ['1 + 2 * 3', '(1+(2*3))'],
    ['1 - 2 - 3', '((1-2)-3)'],
    ['a / b * c % d', '(((a/b)*c)%d)'],
    ['(1 + 2) * 3', '((1+2)*3)'],
    ['2 ^ 3 ^ 2', '(2^(3^2))'],
    ['-2 ^ 2', '(-(2^2))'],
    ['2 ^ -3 ^ 2', '(2^(-(3^2)))'],
    ['2 ^ -3 * 4', '((2^(-3))*4)'],
    ['a - -b', '(a-(-b))'],
    ['-a * b', '((-a)*b)'],
    ['--a', '(-(-a))'],
    ['a < b + 1', '(a<(b+1))'],
    ['not a == b', '(not (a==b))'],
    ['not a and b or c', '(((not a) and b) or c)'],
    ['a or b and c', '(a or (b and c))'],
    ['a and b and not c', '(a and b and (not c))'],
    ['if(a >= 1, min(a, 2), max(b))', 'if((a>=1),min(a,2),max(b))'],
    ['timestamp()', 'timestamp()'],
    ['{V1StGXR8_Z5jdHi6B-myT} * k', '({V1StGXR8_Z5jdHi6B-myT}*k)'],
    ['.5 + 1. + 1.5e-3 + 2E2', '(((0.5+1)+0.0015)+200)'],
    ['\n a\t+\r\n b ', '(a+b)'],
    ['mean2 + e5', '(mean2+e5)'],
  ])('%s is read as %s', (text, expected) => {
    expect(full(parsed(text))).toBe(expected);
  });

  test('tells where its parts begin', () => {
    expect(parsed(' a + f(b)')).toMatchObject({
      offset: 3,
      first: { offset: 1 },
      rest: [{ offset: 5, operands: [{ offset: 7 }] }],
    });
  });

  test.each([
    ['', 1, 'missing_operand'],
    ['  ', 3, 'missing_operand'],
    ['a +', 4, 'missing_operand'],
    ['a ** b', 4, 'missing_operand'],
    ['+a', 1, 'missing_operand'],
    ['a * not b', 5, 'unexpected'],
    ['f(a,)', 5, 'missing_operand'],
    ['f(,a)', 3, 'missing_operand'],
    ['()', 2, 'missing_operand'],
    ['and', 1, 'missing_operand'],
    ['a b', 3, 'unexpected'],
    ['(a b)', 4, 'missing_parenthesis'],
    ['a)', 2, 'unexpected'],
    ['a, b', 2, 'unexpected'],
    ['(a', 3, 'missing_parenthesis'],
    ['f(a, b', 7, 'missing_parenthesis'],
    ['a < b < c', 7, 'chained_comparison'],
    ['a == b != c', 8, 'chained_comparison'],
    ['0x10', 2, 'invalid_number'],
    ['1.2.3', 4, 'invalid_number'],
    ['2level', 2, 'invalid_number'],
    ['1e', 2, 'invalid_number'],
    ['1e400', 1, 'invalid_number'],
    ['a = b', 3, 'invalid_character'],
    ['a && b', 3, 'invalid_character'],
    ['!a', 1, 'invalid_character'],
    ['a × b', 3, 'invalid_character'],
    ['a\0', 2, 'invalid_character'],
    ['😀', 1, 'invalid_character'],
    ['\ud800', 1, 'invalid_character'],
    ['{short}', 1, 'invalid_character'],
    ['{V1StGXR8_Z5jdHi6B-myT', 1, 'invalid_character'],
    ['a.b', 2, 'invalid_character'],
    ['a[0]', 2, 'invalid_character'],
    ['"a"', 1, 'invalid_character'],
    ['a; b', 2, 'invalid_character'],
  ])('%j is refused at character %i', (text, character, code) => {
    const { fault } = parse(text);
    expect(fault).toMatchObject({ code, offset: character - 1 });
    expect(fault?.message).toMatch(new RegExp(`^Character ${character}: [A-Z0-9].*[.)]$`));
    expect(fault?.message.isWellFormed()).toBe(true);
  });

  test.each([
    ['a\u200b', 'Character 2: Remove U+200B, which is not seen here; it means nothing in an expression.'],
    ['a \u202eb', 'Character 3: Remove U+202E, which is not seen here; it means nothing in an expression.'],
    ['a\u0301', 'Character 2: Remove U+0301, which is not seen here; it means nothing in an expression.'],
    ['a\u{e0020}', 'Character 2: Remove U+E0020, which is not seen here; it means nothing in an expression.'],
    ['√a', 'Character 1: Remove "√"; it means nothing in an expression.'],
  ])('%j is told which character, seen or not', (text, message) => {
    expect(parse(text).fault?.message).toBe(message);
  });

  test.each([
    ['pressure * 0,5', 'Character 13: A decimal is written with a dot: 0.5.'],
    ['abs((1 + 2,75e3))', 'Character 11: A decimal is written with a dot: 2.75e3.'],
    ['1,500', 'Character 2: A decimal is written with a dot: 1.500, and thousands without a comma: 1500.'],
    ['1, 5', 'Character 2: Commas stand between arguments only; remove this one.'],
    ['1.5,5', 'Character 4: Commas stand between arguments only; remove this one.'],
    ['(a,5)', 'Character 3: Put a ) before ,, for the ( at character 1.'],
  ])('%s is told what its comma is', (text, message) => {
    expect(parse(text).fault?.message).toBe(message);
  });

  test('comes back from its print, whatever it is', () => {
    fc.assert(
      fc.property(syntaxes, (syntax) => {
        expect(bare(parsed(print(syntax)))).toEqual(bare(syntax));
      }),
    );
  });

  test('is any text, and then a fault', () => {
    const words = ['a', '(', ')', '+', '-', '^', ' ', '1', '.', 'e', 'not ', ' and ', '<', '=', ',', '{', 'mean', '𝄞'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words)), fc.string({ unit: 'binary' }), (chosen, any) => {
        for (const text of [chosen.join(''), any]) {
          const { syntax, fault } = parse(text);
          if (syntax === undefined) expect(fault.offset).toBeLessThanOrEqual(text.length);
          else expect(bare(parsed(print(syntax)))).toEqual(bare(syntax));
        }
      }),
    );
  });
});
