/** Operators that are worked off from left to right. */
export type ChainOperator = '+' | '-' | '*' | '/' | '%';

export type CompareOperator = '<' | '<=' | '>' | '>=' | '==' | '!=';

export type LogicalOperator = 'and' | 'or';

interface Placed {
  /** Where the operator, or else the text, begins: in UTF-16 units. */
  readonly offset: number;
}

/** An expression, as its text says it. */
export type Syntax = Placed &
  (
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'id'; readonly id: string }
    | { readonly kind: 'negate' | 'not'; readonly operand: Syntax }
    /** `first operators[0] rest[0] operators[1] rest[1] …`, all operators of one rank: long sums are not deep */
    | {
        readonly kind: 'chain';
        readonly first: Syntax;
        readonly operators: readonly ChainOperator[];
        readonly rest: readonly Syntax[];
      }
    | { readonly kind: 'power'; readonly base: Syntax; readonly exponent: Syntax }
    | { readonly kind: 'compare'; readonly operator: CompareOperator; readonly left: Syntax; readonly right: Syntax }
    | { readonly kind: 'logical'; readonly operator: LogicalOperator; readonly operands: readonly Syntax[] }
    | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Syntax[] }
  );

/** An expression that names an input, by alias or by id. */
export type Reference = Extract<Syntax, { kind: 'name' | 'id' }>;

/** What an expression stands on directly, from left to right. */
export function operandsOf(syntax: Syntax): readonly Syntax[] {
  switch (syntax.kind) {
    case 'number':
    case 'name':
    case 'id':
      return [];
    case 'negate':
    case 'not':
      return [syntax.operand];
    case 'chain':
      return [syntax.first, ...syntax.rest];
    case 'power':
      return [syntax.base, syntax.exponent];
    case 'compare':
      return [syntax.left, syntax.right];
    case 'logical':
    case 'call':
      return syntax.operands;
  }
}
