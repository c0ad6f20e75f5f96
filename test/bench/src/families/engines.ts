import { check, compile, evaluate } from '@weir/expression';
import { all, create } from 'mathjs';
import { formulas } from '../formulas.js';
import { type Family, quotient } from '../ratio.js';

const rows = 2000;
const names = ['a', 'b', 'c'] as const;
const instantsUs = Float64Array.from({ length: rows }, (_, row) => row * 1e6);
const columns = names.map((_, input) =>
  Float64Array.from({ length: rows }, (_, row) => 1 + ((row * (input + 3)) % 97) / 7),
);

const compiled = formulas.map(({ ours }) => {
  const inputs = names
    .filter((name) => new RegExp(`\\b${name}\\b`).test(ours))
    .map((alias) => ({ id: undefined, kind: 'self_variable' as const, alias, isWindowed: false }));
  const { checked, faults } = check(ours, inputs);
  if (checked === undefined) throw new Error(`${ours}: ${JSON.stringify(faults)}`);
  const columnsOf = inputs.map(({ alias }) => ({ values: columns[names.indexOf(alias)] as Float64Array }));
  return { expression: compile(checked), columns: columnsOf };
});
const math = create(all ?? {});
const reference = formulas.map(({ mathjs }) => math.compile(mathjs));
const scopes = Array.from({ length: rows }, (_, row) =>
  Object.fromEntries(names.map((name, input) => [name, columns[input]?.[row]])),
);

function requireEqual(): void {
  for (const [number, { expression, columns: given }] of compiled.entries()) {
    const { values } = evaluate(expression, instantsUs, given);
    for (const [row, value] of values.entries()) {
      const other = Number(reference[number]?.evaluate({ ...scopes[row] }));
      if (Math.abs(value - other) > 1e-12 * Math.max(1, Math.abs(other)))
        throw new Error(`${formulas[number]?.ours} is ${value} here and ${other} there`);
    }
  }
}

function timed(durationMs: number, pass: () => number): { readonly evaluationsPerSecond: number } {
  let evaluations = 0;
  const startedMs = performance.now();
  while (performance.now() - startedMs < durationMs) evaluations += pass();
  return { evaluationsPerSecond: (evaluations / (performance.now() - startedMs)) * 1000 };
}

/** The language of calculated variables against a general one, on sixty formulas that are alive together. */
export const engines: Family = {
  name: 'evaluation of expressions',
  ratios: [
    {
      id: 'C1',
      what: 'evaluations ÷ those of mathjs, compiled',
      goal: 6,
      stretch: 10,
      of: (r) => quotient(r['ours']?.['evaluationsPerSecond'], r['mathjs']?.['evaluationsPerSecond']),
    },
  ],
  open: () => {
    requireEqual();
    const oursOnce = () => {
      for (const { expression, columns: given } of compiled) evaluate(expression, instantsUs, given);
      return rows * compiled.length;
    };
    const mathjsOnce = () => {
      for (const expression of reference)
        for (let row = 0; row < 100; row++) expression.evaluate(scopes[row] as object);
      return 100 * reference.length;
    };
    return Promise.resolve({
      trials: {
        ours: () => Promise.resolve(timed(1500, oursOnce)),
        mathjs: () => Promise.resolve(timed(1500, mathjsOnce)),
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};
