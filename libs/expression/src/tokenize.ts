import { type ExpressionFault, faultAt } from './fault.js';

/** A word of an expression. */
export interface Token {
  /** `{…}` is an `id`; the last token is the `end` */
  readonly kind: 'number' | 'name' | 'id' | 'symbol' | 'end';
  /** without braces */
  readonly text: string;
  readonly offset: number;
}

/** An expression that is not one; it never leaves this package. */
export class SyntaxFault extends Error {
  readonly fault: ExpressionFault;

  constructor(offset: number, code: string, message: string) {
    super(message);
    this.fault = faultAt(offset, code, message);
  }
}

const space = /\s+/y;
const patterns = {
  number: /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y,
  name: /[A-Za-z_][A-Za-z0-9_]*/y,
  id: /\{[A-Za-z0-9_-]{21}\}/y,
  symbol: /<=|>=|==|!=|[-+*/%^<>(),]/y,
} as const;

/** What begins with a character can only be one kind of word. */
function kindAt(text: string, offset: number): keyof typeof patterns {
  const character = text.charAt(offset);
  if (character === '{') return 'id';
  if (character === '.' || (character >= '0' && character <= '9')) return 'number';
  const lower = character.toLowerCase();
  return character === '_' || (lower >= 'a' && lower <= 'z') ? 'name' : 'symbol';
}

/** What people write, or paste, for what is written otherwise here; the longer first. */
const spellings: readonly (readonly [written: string, meant: string])[] = [
  ['&&', 'Write and.'],
  ['||', 'Write or.'],
  ['!', 'Write not.'],
  ['=', 'Write == to compare.'],
  ['×', 'Write * to multiply.'],
  ['·', 'Write * to multiply.'],
  ['÷', 'Write / to divide.'],
  ['−', 'Write - as a plain hyphen.'],
  ['–', 'Write - as a plain hyphen.'],
  ['≤', 'Write <=.'],
  ['≥', 'Write >=.'],
  ['≠', 'Write !=.'],
  ['[', 'Write parentheses.'],
  [';', 'Separate arguments by commas.'],
  ['{', 'Give an id of 21 letters, digits, "_" or "-" between braces, and nothing else.'],
];

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text) ?? undefined;
}

/** What is not seen when it stands in a message by itself, such as a blank of no width that was pasted with a name. */
const unseen = /[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/u;

/** A character as a message shows it. */
function shownCharacter(character: string): string {
  if (!unseen.test(character)) return JSON.stringify(character);
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code}, which is not seen here`;
}

function unknownCharacter(text: string, offset: number): SyntaxFault {
  const meant = spellings.find(([written]) => text.startsWith(written, offset));
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0).toWellFormed();
  const message = meant?.[1] ?? `Remove ${shownCharacter(character)}; it means nothing in an expression.`;
  return new SyntaxFault(offset, 'invalid_character', message);
}

function checkNumber(text: string, offset: number, end: number): void {
  if (!Number.isFinite(Number(text.slice(offset, end)))) {
    throw new SyntaxFault(offset, 'invalid_number', 'The number overflows a 64-bit double; give a smaller one.');
  }
  if (matchAt(/[A-Za-z0-9_.]/y, text, end) !== undefined) {
    const message = 'A number ends here; put an operator after it. Numbers are written as 12, 0.5 or 1.5e-3.';
    throw new SyntaxFault(end, 'invalid_number', message);
  }
}

/** Cuts an expression into its words. @throws SyntaxFault at the first character that belongs to none */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = matchAt(space, text, 0)?.[0].length ?? 0;
  while (offset < text.length) {
    const kind = kindAt(text, offset);
    const word = matchAt(patterns[kind], text, offset)?.[0];
    if (word === undefined) throw unknownCharacter(text, offset);
    const end = offset + word.length;
    if (kind === 'number') checkNumber(text, offset, end);
    tokens.push({ kind, text: kind === 'id' ? word.slice(1, -1) : word, offset });
    offset = end + (matchAt(space, text, end)?.[0].length ?? 0);
  }
  tokens.push({ kind: 'end', text: '', offset: text.length });
  return tokens;
}
