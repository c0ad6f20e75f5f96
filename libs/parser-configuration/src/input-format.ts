import { text } from './texts.js';

/** Formats that have a name. */
const words: ReadonlySet<string> = new Set(['iso8601', 'unix_s', 'unix_ms', 'unix_us', 'unix_ns', 'excel_serial']);

const letters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    year: 'yy yyyy',
    month: 'M MM MMM',
    day: 'd dd',
    'day of the year': 'D DDD',
    hour: 'H HH h hh',
    minute: 'm mm',
    second: 's ss',
    fraction: 'S SS SSS SSSS SSSSS SSSSSS SSSSSSS SSSSSSSS SSSSSSSSS',
    'half of the day': 'a aaaaa',
    offset: 'X XX XXX x xx xxx',
  }).flatMap(([field, runs]) => runs.split(' ').map((run): [string, string] => [run, field])),
);

/** Quoted text, an apostrophe that closes nothing, a run of one letter, a bracket, anything else. */
const token = /'(?:[^']|'')*'|'|([A-Za-z])\1*|\[|\]|[^A-Za-z'[\]]+/g;

/** The letters of a pattern: all of them, those outside of brackets, which must be there, and those of each bracket. */
interface PatternLetters {
  readonly all: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly brackets: readonly ReadonlySet<string>[];
}

const fieldsOf = (runs: Iterable<string>): Set<string> =>
  new Set(Array.from(runs, (run) => letters.get(run)).filter((field) => field !== undefined));

/** Reads a pattern; a fault is told as a text. */
function readPattern(pattern: string): PatternLetters | string {
  const all = new Set<string>();
  const required = new Set<string>();
  const brackets: Set<string>[] = [];
  let isOptional = false;
  for (const [part] of pattern.matchAll(token)) {
    if (part === "'") return 'An apostrophe is not closed.';
    if (part === '[' || part === ']') {
      if (isOptional === (part === '[')) return 'Brackets stand in pairs, none within others.';
      isOptional = part === '[';
      if (isOptional) brackets.push(new Set());
    } else if (/^[A-Za-z]/.test(part)) {
      const field = letters.get(part);
      if (field === undefined) return `${part} means nothing here; text stands in apostrophes.`;
      if (fieldsOf(all).has(field)) return `The ${field} stands in it twice.`;
      all.add(part);
      (isOptional ? brackets.at(-1) : required)?.add(part);
    }
  }
  return isOptional ? 'A bracket is not closed.' : { all, required, brackets };
}

/** Parts of a time from large to small: each needs those before it. */
const clock = ['hour', 'minute', 'second', 'fraction'];

function gapOf(fields: ReadonlySet<string>): string | undefined {
  const last = clock.findLastIndex((field) => fields.has(field));
  const missing = clock.slice(0, last + 1).find((field) => !fields.has(field));
  return missing === undefined ? undefined : `It has the ${clock[last]} and lacks the ${missing}.`;
}

/** Whether there may be an `h` without its `a`: that of a bracket may be missing anywhere but in the same bracket. */
function mayLackHalf({ required, brackets }: PatternLetters): boolean {
  const lacksHalf = (runs: ReadonlySet<string>) =>
    (runs.has('h') || runs.has('hh')) && !fieldsOf([...runs, ...required]).has('half of the day');
  return [required, ...brackets].some(lacksHalf);
}

/** What keeps a pattern from giving an instant. A day without a time is its beginning. */
function patternFault(pattern: string): string | undefined {
  const read = readPattern(pattern);
  if (typeof read === 'string') return read;
  const required = fieldsOf(read.required);
  const date = required.has('day of the year') ? ['year'] : ['year', 'month', 'day'];
  const missing = date.filter((field) => !required.has(field));
  if (missing.length > 0) return `It does not give a full date: it lacks the ${missing.join(', the ')}.`;
  if (mayLackHalf(read)) return 'h goes from 1 to 12 and needs a, which must be there when h is.';
  return gapOf(required) ?? gapOf(fieldsOf(read.all));
}

/** How a timestamp is read: a format that has a name, or a pattern. */
export const inputFormat = text(1, 128)
  .superRefine((format, context) => {
    const fault = words.has(format) ? undefined : patternFault(format);
    if (fault === undefined) return;
    context.addIssue({
      code: 'custom',
      message: `Give ${[...words].join(', ')}, or a pattern of a date and time such as yyyy-MM-dd HH:mm:ss. ${fault}`,
      params: { code: 'invalid_input_format' },
    });
  })
  .meta({
    description:
      `One of ${[...words].map((word) => `\`${word}\``).join(', ')}, or a pattern in Unicode (CLDR) letters ` +
      'that gives a full date: `yyyy yy`, `M MM MMM`, `d dd`, `D DDD` (day of the year), `H HH` or `h hh` with ' +
      '`a aaaaa`, `m mm`, `s ss`, `S…` (fraction), `X XX XXX x xx xxx` (offset); `[…]` is optional, text stands in ' +
      'apostrophes. A date without a time is the beginning of its day.',
    examples: ['yyyy-MM-dd HH:mm:ss', 'M/d/yyyy h:mm a', 'iso8601', 'unix_s'],
  });
