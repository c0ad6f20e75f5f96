/** How a function is called. */
export interface Signature {
  readonly min: number;
  readonly max: number;
  /** as a person writes it */
  readonly usage: string;
}

const listOf = (words: string): readonly string[] => words.split(' ');

const unary = listOf(
  'abs sqrt cbrt exp ln log10 log2 round floor ceil trunc sign sin cos tan asin acos atan sinh cosh tanh isnull',
);

const signature = (min: number, max: number, usage: string): readonly [string, Signature] => [
  usage.slice(0, usage.indexOf('(')),
  { min, max, usage },
];

const many = Number.POSITIVE_INFINITY;

/** Functions of the window of an input. `min` and `max` with one argument are such functions too. */
export const windowFunctions = ['mean', 'sum', 'count', 'stddev', 'median', 'first', 'last', 'delta', 'rate'] as const;

/** All functions. What a client names is only looked up here, never in an object. */
export const signatures: ReadonlyMap<string, Signature> = new Map([
  ...unary.map((name) => signature(1, 1, `${name}(x)`)),
  ...windowFunctions.map((name) => signature(1, 1, `${name}(x)`)),
  signature(1, 1, 'previous(x)'),
  signature(2, 2, 'pow(x, y)'),
  signature(2, 2, 'atan2(y, x)'),
  signature(2, 2, 'hypot(x, y)'),
  signature(3, 3, 'clamp(x, low, high)'),
  signature(3, 3, 'if(condition, a, b)'),
  signature(1, many, 'min(a, b, …)'),
  signature(1, many, 'max(a, b, …)'),
  signature(2, many, 'coalesce(a, b, …)'),
  signature(5, many, 'interpolate(x, x1, y1, x2, y2, …)'),
  signature(0, 0, 'timestamp()'),
]);

/** Names that stand for a number. */
export const constants: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

/** What means something in an expression already, and so names no input. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...signatures.keys(),
  ...constants.keys(),
  ...listOf('and or not true false null'),
]);

/** What other languages call functions, and how they are called here. */
export const foreignNames: ReadonlyMap<string, string> = new Map([
  ['log', 'ln(x), log10(x) or log2(x)'],
  ['lg', 'log10(x)'],
  ['avg', 'mean(x)'],
  ['average', 'mean(x)'],
  ['power', 'pow(x, y)'],
  ['sqr', 'x^2'],
  ['square', 'x^2'],
  ['ceiling', 'ceil(x)'],
  ['truncate', 'trunc(x)'],
  ['int', 'trunc(x)'],
  ['fabs', 'abs(x)'],
  ['sgn', 'sign(x)'],
  ['arcsin', 'asin(x)'],
  ['arccos', 'acos(x)'],
  ['arctan', 'atan(x)'],
  ['minimum', 'min(a, b, …)'],
  ['maximum', 'max(a, b, …)'],
  ['std', 'stddev(x)'],
  ['stdev', 'stddev(x)'],
  ['lag', 'previous(x)'],
  ['prev', 'previous(x)'],
  ['diff', 'delta(x)'],
  ['iif', 'if(condition, a, b)'],
  ['ifnull', 'coalesce(a, b, …)'],
  ['mod', 'x % y'],
]);
