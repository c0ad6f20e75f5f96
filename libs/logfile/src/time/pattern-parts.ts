/** Parts of a time that a pattern reads. */
export const fields = {
  year: 0,
  month: 1,
  day: 2,
  dayOfYear: 3,
  hour: 4,
  minute: 5,
  second: 6,
  micros: 7,
  half: 8,
  offset: 9,
};
export const fieldCount = 10;

/** What a part of a pattern does with the bytes. */
export const ops = {
  /** Reads digits into field `a`: from `b` to `c` of them, leaving `d` for the numbers that follow at once. */
  number: 0,
  /** The byte `a`. */
  literal: 1,
  blanks: 2,
  monthName: 3,
  /** AM or a.m.; with `a`, just a or p. */
  half: 4,
  /** The fraction of a second, leaving `d` digits. */
  fraction: 5,
  /** An offset; `a` is the place of its forms. */
  offset: 6,
  /** Hour and minute as one number of one to four digits. */
  hourMinute: 7,
  /** What is optional, up to the part `a`. */
  optional: 8,
  /** A year of two digits. */
  shortYear: 9,
} as const;

export interface Part {
  readonly op: (typeof ops)[keyof typeof ops];
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Letters this part is made of; empty for text. */
  readonly letters: string;
}

const number = (a: number, b: number, c: number) => ({ op: ops.number, a, b, c });
const plain = (op: Part['op'], a = 0) => ({ op, a, b: 0, c: 0 });

const lettered: ReadonlyMap<string, Omit<Part, 'letters'>> = new Map([
  ['yyyy', number(fields.year, 4, 4)],
  ['yy', plain(ops.shortYear)],
  ['M', number(fields.month, 1, 2)],
  ['MM', number(fields.month, 2, 2)],
  ['MMM', plain(ops.monthName)],
  ['d', number(fields.day, 1, 2)],
  ['dd', number(fields.day, 2, 2)],
  ['D', number(fields.dayOfYear, 1, 3)],
  ['DDD', number(fields.dayOfYear, 3, 3)],
  ['H', number(fields.hour, 1, 2)],
  ['HH', number(fields.hour, 2, 2)],
  ['h', number(fields.hour, 1, 2)],
  ['hh', number(fields.hour, 2, 2)],
  ['m', number(fields.minute, 1, 2)],
  ['mm', number(fields.minute, 2, 2)],
  ['s', number(fields.second, 1, 2)],
  ['ss', number(fields.second, 2, 2)],
  ['a', plain(ops.half)],
  ['aaaaa', plain(ops.half, 1)],
  ...['X', 'XX', 'XXX', 'x', 'xx', 'xxx'].map((letters, at): [string, Omit<Part, 'letters'>] => [
    letters,
    plain(ops.offset, at),
  ]),
]);

/** Quoted text, a run of one letter, blanks, anything else. */
const token = /'(?:[^']|'')*'|([A-Za-z])\1*| +|[^A-Za-z' ]/gu;

const textParts = (text: string): Part[] =>
  Array.from(Buffer.from(text, 'utf8'), (byte) => ({ ...plain(ops.literal, byte), letters: '' }));

function partsOfToken(part: string): Part[] {
  if (part.startsWith("'")) return textParts(part === "''" ? "'" : part.slice(1, -1).replaceAll("''", "'"));
  if (part.startsWith(' ')) return [{ ...plain(ops.blanks), letters: '' }];
  if (/^S+$/.test(part)) return [{ ...plain(ops.fraction), letters: part }];
  const found = lettered.get(part);
  return found === undefined ? textParts(part) : [{ ...found, letters: part }];
}

const isWord = (part: Part | undefined): boolean =>
  part !== undefined &&
  (part.letters !== '' || (part.op === ops.literal && /[A-Za-z0-9]/.test(String.fromCharCode(part.a))));

/** Joins `HH` and `mm` that stand alone: the number they are loses its leading zeros in some loggers. */
function joinHourMinute(parts: readonly Part[]): Part[] {
  // brackets are looked through: what is optional may be there
  const neighbour = (at: number, step: number): Part | undefined =>
    parts[at]?.op === ops.optional ? neighbour(at + step, step) : parts[at];
  const isJoined = (at: number) =>
    parts[at]?.letters === 'HH' &&
    parts[at + 1]?.letters === 'mm' &&
    !isWord(neighbour(at - 1, -1)) &&
    !isWord(neighbour(at + 2, 1));
  return parts.flatMap((part, at) => {
    if (isJoined(at)) return [{ ...plain(ops.hourMinute), letters: 'HHmm' }];
    return isJoined(at - 1) ? [] : [part];
  });
}

/** Closing brackets go; each opening one knows where its part ends. */
function withEnds(parts: readonly Part[]): Part[] {
  const ended: Part[] = [];
  let open = -1;
  for (const part of parts) {
    if (part.op !== ops.optional) ended.push(part);
    else if (part.a === opening) open = ended.push(part) - 1;
    else ended[open] = { ...plain(ops.optional, ended.length), letters: '' };
  }
  return ended;
}

const opening = 0;
const closing = 1;

/** The parts of a pattern that was found good when it was saved; what `[…]` encloses is one part and those in it. */
export function partsOfPattern(pattern: string): Part[] {
  const parts = Array.from(pattern.matchAll(token), ([part]): Part[] => {
    if (part !== '[' && part !== ']') return partsOfToken(part);
    return [{ ...plain(ops.optional, part === '[' ? opening : closing), letters: '' }];
  });
  return withEnds(joinHourMinute(parts.flat()));
}
