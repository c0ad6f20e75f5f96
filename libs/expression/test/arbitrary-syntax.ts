import fc from 'fast-check';
import type { Syntax } from '../src/syntax.js';

/** What an expression of the tests may stand on: numbers, aliases, ids and whole calls. */
export interface Leaves {
  readonly leaf: fc.Arbitrary<Syntax>;
  /** calls of these names, with as many arguments */
  readonly calls: readonly (readonly [name: string, count: number])[];
}

/** Any expressions over some leaves. */
export function syntaxesOf({ leaf, calls }: Leaves): fc.Arbitrary<Syntax> {
  const { tree } = fc.letrec<{ tree: Syntax }>((tie) => {
    const inner = tie('tree');
    const chain = (operators: readonly ('+' | '-' | '*' | '/' | '%')[]) =>
      fc
        .record({
          first: inner,
          rest: fc.array(fc.tuple(fc.constantFrom(...operators), inner), { minLength: 1, maxLength: 3 }),
        })
        .map(
          ({ first, rest }): Syntax => ({
            kind: 'chain',
            first,
            operators: rest.map(([operator]) => operator),
            rest: rest.map(([, operand]) => operand),
            offset: 0,
          }),
        );
    const called = fc
      .constantFrom(...calls)
      .chain(([name, count]) =>
        fc
          .array(inner, { minLength: count, maxLength: count })
          .map((operands): Syntax => ({ kind: 'call', name, operands, offset: 0 })),
      );
    return {
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        chain(['+', '-']),
        chain(['*', '/', '%']),
        fc.record({ kind: fc.constantFrom('negate', 'not'), operand: inner, offset: fc.constant(0) }),
        fc.record({ kind: fc.constant('power'), base: inner, exponent: inner, offset: fc.constant(0) }),
        fc.record({
          kind: fc.constant('compare'),
          operator: fc.constantFrom('<', '<=', '>', '>=', '==', '!='),
          left: inner,
          right: inner,
          offset: fc.constant(0),
        }),
        fc.record({
          kind: fc.constant('logical'),
          operator: fc.constantFrom('and', 'or'),
          operands: fc.array(inner, { minLength: 2, maxLength: 3 }),
          offset: fc.constant(0),
        }),
        called,
      ),
    };
  });
  return tree;
}

const numberLeaf = fc
  .oneof(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.nat(20))
  .map((value): Syntax => ({ kind: 'number', value: value + 0, offset: 0 }));

/** Any expressions, right or wrong in what they name. */
export const syntaxes = syntaxesOf({
  leaf: fc.oneof(
    numberLeaf,
    fc.constantFrom<Syntax>(
      { kind: 'name', name: 'level', offset: 0 },
      { kind: 'name', name: 'e', offset: 0 },
      { kind: 'id', id: 'V1StGXR8_Z5jdHi6B-myT', offset: 0 },
      { kind: 'call', name: 'timestamp', operands: [], offset: 0 },
    ),
  ),
  calls: [
    ['abs', 1],
    ['if', 3],
    ['nonsense', 2],
  ],
});
