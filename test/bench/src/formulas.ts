/** One formula as both languages write it. */
export interface Formula {
  readonly ours: string;
  readonly mathjs: string;
}

/** Shapes of formulas as instruments need them, over `a`, `b`, `c`, with a number that makes each its own. */
const shapes: readonly ((k: number) => Formula)[] = [
  // the same in both languages
  ...[
    (k: number) => `(a - ${k}) * 0.0${k} + b`,
    (k: number) => `${k} * a ^ 2 + 2.5 * b - c / ${k + 1}`,
    (k: number) => `sqrt(abs(a * b)) + exp(-c / ${k * 10})`,
    (k: number) => `(a + b + c) / 3 - min(a, b, c) + max(a, ${k})`,
    (k: number) => `sin(a / ${k}) * cos(b) + atan2(b, c + ${k})`,
    (k: number) => `101.325 * (1 - 0.0000225577 * (a + ${k})) ^ 5.25588`,
    (k: number) => `log10(abs(a) + ${k}) * log2(abs(b) + 2) - cbrt(c)`,
    (k: number) => `floor(a / ${k}) + ceil(b * ${k}) - abs(sign(c))`,
  ].map((text) => (k: number) => ({ ours: text(k), mathjs: text(k) })),
  (k) => ({ ours: `if(a > ${k}, b * 2, c / 2)`, mathjs: `a > ${k} ? b * 2 : c / 2` }),
  (k) => ({ ours: `ln(abs(a) + ${k}) / ln(10) + b % ${k + 2}`, mathjs: `log(abs(a) + ${k}) / log(10) + b % ${k + 2}` }),
];

/** Sixty formulas, no two alike. */
export const formulas: readonly Formula[] = Array.from({ length: 60 }, (_, i) =>
  (shapes[i % shapes.length] as (k: number) => Formula)(1 + Math.floor(i / shapes.length)),
);
