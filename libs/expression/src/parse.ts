import { type ExpressionFault, faultAt } from './fault.js';
import { expressionCharactersMax, expressionDepthMax, expressionNodesMax } from './limits.js';
import type { ChainOperator, CompareOperator, LogicalOperator, Syntax } from './syntax.js';
import { SyntaxFault, type Token, tokenize } from './tokenize.js';

/** How strongly operators bind. A sign is weaker than a power: `-2^2` is `-4`, as mathematics has it. */
export const ranks = { or: 1, and: 2, not: 3, compare: 4, sum: 5, product: 6, sign: 7, power: 8 } as const;

const rankOf: ReadonlyMap<string, number> = new Map<string, number>([
  ['or', ranks.or],
  ['and', ranks.and],
  ...['<', '<=', '>', '>=', '==', '!='].map((operator) => [operator, ranks.compare] as const),
  ['+', ranks.sum],
  ['-', ranks.sum],
  ...['*', '/', '%'].map((operator) => [operator, ranks.product] as const),
  ['^', ranks.power],
]);

/** The parser of one text: a Pratt parser, which reads each token once. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #nodes = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Syntax {
    const syntax = this.#expression(ranks.or);
    const token = this.#peek();
    if (token.kind === 'end') return syntax;
    if (token.text === ')') throw new SyntaxFault(token.offset, 'unexpected', 'Remove this ); nothing is open.');
    this.#requireNoDecimalComma();
    if (token.text === ',') {
      throw new SyntaxFault(token.offset, 'unexpected', 'Commas stand between arguments only; remove this one.');
    }
    throw new SyntaxFault(token.offset, 'unexpected', `Put an operator before ${shown(token)}.`);
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  /** Refuses a comma that comes next where no arguments are and that is meant as the point of a decimal. */
  #requireNoDecimalComma(): void {
    const [left, { text, offset }, right] = [-1, 0, 1].map((by) => this.#tokens[this.#next + by]) as [
      Token,
      Token,
      Token,
    ];
    if (text !== ',' || left.offset + left.text.length !== offset || right.offset !== offset + 1) return;
    if (!/^[0-9]+$/.test(left.text) || !/^[0-9]+(?:[eE].*)?$/.test(right.text)) return;
    const decimal = `A decimal is written with a dot: ${shown(left)}.${shown(right)}`;
    const isGroup = right.text.length === 3;
    const message = isGroup
      ? `${decimal}, and thousands without a comma: ${shown(left)}${shown(right)}.`
      : `${decimal}.`;
    throw new SyntaxFault(offset, 'unexpected', message);
  }

  #isNext(text: string): boolean {
    const token = this.#peek();
    return token.text === text && (token.kind === 'symbol' || token.kind === 'name');
  }

  #count<S extends Syntax>(syntax: S): S {
    if (++this.#nodes > expressionNodesMax) {
      const message = `The expression has more than ${expressionNodesMax} parts; split it into several variables.`;
      throw new SyntaxFault(syntax.offset, 'too_large', message);
    }
    return syntax;
  }

  #nested<S>(offset: number, parse: () => S): S {
    if (++this.#depth > expressionDepthMax) {
      const message = `The expression is nested more than ${expressionDepthMax} deep; split it into several variables.`;
      throw new SyntaxFault(offset, 'too_deep', message);
    }
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  /** What binds at least as strongly as `rank`. */
  #expression(rank: number): Syntax {
    let left = this.#operand(rank);
    for (;;) {
      const token = this.#peek();
      const found = token.kind === 'symbol' || token.kind === 'name' ? rankOf.get(token.text) : undefined;
      if (found === undefined || found < rank) return left;
      left = this.#operation(left, found);
    }
  }

  #operation(left: Syntax, rank: number): Syntax {
    const { text, offset } = this.#peek();
    switch (rank) {
      case ranks.power: {
        this.#take();
        // the sign of an exponent is its own, and a further power belongs to the exponent
        const exponent = this.#nested(offset, () => this.#expression(ranks.sign));
        return this.#count({ kind: 'power', base: left, exponent, offset });
      }
      case ranks.compare: {
        this.#take();
        const right = this.#expression(ranks.compare + 1);
        const next = this.#peek();
        if (next.kind === 'symbol' && rankOf.get(next.text) === ranks.compare) {
          throw new SyntaxFault(next.offset, 'chained_comparison', 'Comparisons do not chain; write a < b and b < c.');
        }
        return this.#count({ kind: 'compare', operator: text as CompareOperator, left, right, offset });
      }
      case ranks.and:
      case ranks.or: {
        const operands = [left];
        while (this.#isNext(text)) {
          this.#take();
          operands.push(this.#expression(rank + 1));
        }
        return this.#count({ kind: 'logical', operator: text as LogicalOperator, operands, offset });
      }
      default: {
        const operators: ChainOperator[] = [];
        const rest: Syntax[] = [];
        while (this.#peek().kind === 'symbol' && rankOf.get(this.#peek().text) === rank) {
          operators.push(this.#take().text as ChainOperator);
          rest.push(this.#expression(rank + 1));
        }
        return this.#count({ kind: 'chain', first: left, operators, rest, offset });
      }
    }
  }

  /** What an operator stands before: a sign or `not` where it may be, a number, a name, parentheses. */
  #operand(rank: number): Syntax {
    const token = this.#take();
    const { kind, text, offset } = token;
    if (kind === 'number') return this.#count({ kind: 'number', value: Number(text), offset });
    if (kind === 'id') return this.#count({ kind: 'id', id: text, offset });
    if (text === '(') {
      const inner = this.#nested(offset, () => this.#expression(ranks.or));
      this.#requireNoDecimalComma();
      this.#close(offset);
      return inner;
    }
    if (text === '-') {
      const operand = this.#nested(offset, () => this.#expression(ranks.sign));
      return this.#count({ kind: 'negate', operand, offset });
    }
    if (text === 'not') {
      if (rank > ranks.not) throw new SyntaxFault(offset, 'unexpected', 'Put not and what it negates in parentheses.');
      const operand = this.#nested(offset, () => this.#expression(ranks.not));
      return this.#count({ kind: 'not', operand, offset });
    }
    if (kind === 'name' && !rankOf.has(text)) return this.#named(token);
    const message = this.#tokens.length === 1 ? 'Give an expression; there is none.' : missingOperand(token);
    throw new SyntaxFault(offset, 'missing_operand', message);
  }

  #named({ text, offset }: Token): Syntax {
    if (!this.#isNext('(')) return this.#count({ kind: 'name', name: text, offset });
    const open = this.#take().offset;
    const operands: Syntax[] = [];
    if (!this.#isNext(')')) {
      this.#nested(open, () => {
        do operands.push(this.#expression(ranks.or));
        while (this.#isNext(',') && this.#take());
      });
    }
    this.#close(open);
    return this.#count({ kind: 'call', name: text, operands, offset });
  }

  #close(open: number): void {
    const token = this.#take();
    if (token.text === ')') return;
    const what = token.kind === 'end' ? 'the end' : shown(token);
    const message = `Put a ) before ${what}, for the ( at character ${open + 1}.`;
    throw new SyntaxFault(token.offset, 'missing_parenthesis', message);
  }
}

function shown({ kind, text }: Token): string {
  if (kind === 'id') return `{${text}}`;
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

function missingOperand(token: Token): string {
  if (token.kind === 'end') return 'The expression ends here; put a number, a name or a ( after what stands last.';
  if (token.text === '+') return 'Remove this +; only - is a sign.';
  if (token.text === '*') return 'Put a number, a name or a ( before this *; a power is written with ^.';
  return `Put a number, a name or a ( before ${shown(token)}.`;
}

/**
 * Reads an expression. It takes time and memory in proportion to the text, and refuses at once what is
 * longer, larger or deeper than the limits say.
 */
export function parse(
  text: string,
): { readonly syntax: Syntax; readonly fault?: never } | { readonly fault: ExpressionFault; readonly syntax?: never } {
  if (text.length > expressionCharactersMax) {
    const message = `Give at most ${expressionCharactersMax} characters, not ${text.length}.`;
    return { fault: faultAt(expressionCharactersMax, 'too_long', message) };
  }
  try {
    return { syntax: new Parser(tokenize(text)).parse() };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.fault };
    throw error;
  }
}
