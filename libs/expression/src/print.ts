import { ranks } from './parse.js';
import type { Syntax } from './syntax.js';

function rankOf(syntax: Syntax): number {
  switch (syntax.kind) {
    case 'negate':
      return ranks.sign;
    case 'not':
      return ranks.not;
    case 'chain':
      return syntax.operators[0] === '+' || syntax.operators[0] === '-' ? ranks.sum : ranks.product;
    case 'power':
      return ranks.power;
    case 'compare':
      return ranks.compare;
    case 'logical':
      return ranks[syntax.operator];
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** The text of what must bind at least as strongly as `rank`. */
function printAt(syntax: Syntax, rank: number): string {
  const text = print(syntax);
  return rankOf(syntax) < rank ? `(${text})` : text;
}

/** Writes an expression down, with no more parentheses than it needs: what `parse` reads from it is the same. */
export function print(syntax: Syntax): string {
  const rank = rankOf(syntax);
  switch (syntax.kind) {
    case 'number':
      return String(syntax.value);
    case 'name':
      return syntax.name;
    case 'id':
      return `{${syntax.id}}`;
    case 'negate':
      return `-${printAt(syntax.operand, rank)}`;
    case 'not':
      return `not ${printAt(syntax.operand, rank)}`;
    case 'power':
      return `${printAt(syntax.base, rank + 1)} ^ ${printAt(syntax.exponent, ranks.sign)}`;
    case 'compare':
      return `${printAt(syntax.left, rank + 1)} ${syntax.operator} ${printAt(syntax.right, rank + 1)}`;
    case 'logical':
      return syntax.operands.map((operand) => printAt(operand, rank + 1)).join(` ${syntax.operator} `);
    case 'chain':
      return syntax.rest.reduce(
        (text, operand, at) => `${text} ${syntax.operators[at]} ${printAt(operand, rank + 1)}`,
        printAt(syntax.first, rank + 1),
      );
    case 'call':
      return `${syntax.name}(${syntax.operands.map(print).join(', ')})`;
  }
}
