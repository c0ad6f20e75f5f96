import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { check, compile, evaluate, missingReasons, reservedWords } from './index.js';

const page = await readFile(new URL('../../../docs/clients/calculations.md', import.meta.url), 'utf8');
const table = page.slice(page.indexOf('| expression | value |'));
const rows = [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, expression = '', value = '']) => ({
  expression,
  value,
}));

/** What an expression gives where `x` is 7 and `gap` has no value. */
function shownValue(expression: string): string {
  const aliases = ['x', 'gap'];
  const used = aliases.filter((alias) => new RegExp(`\\b${alias}\\b`).test(expression));
  const read = used.map((alias) => ({ id: undefined, kind: 'self_variable' as const, alias, isWindowed: false }));
  // numbers alone are no calculation
  const driver = { id: undefined, kind: 'self_variable' as const, alias: 'd', isWindowed: false };
  const { checked } = used.length > 0 ? check(expression, read) : check(`${expression} + 0 * d`, [driver]);
  if (checked === undefined) throw new Error(`${expression} is no expression`);
  const columns = used.length > 0 ? used : ['d'];
  const inputs = columns.map((alias) => ({ values: Float64Array.of(alias === 'gap' ? Number.NaN : 7) }));
  const { values, reasons } = evaluate(compile(checked), Float64Array.of(0), inputs);
  const reason = missingReasons[(reasons[0] ?? 0) - 1];
  return reason === undefined ? String(values[0]) : `none (\`${reason}\`)`;
}

test.each(rows)('the page for clients says that $expression is $value', ({ expression, value }) => {
  expect(shownValue(expression)).toBe(value);
});

test('the page for clients has examples, and every word of the language', () => {
  expect(rows.length).toBeGreaterThan(15);
  const language = page.slice(page.indexOf('## The language'));
  const words = new Set(language.match(/`[^`]+`/g)?.flatMap((code) => code.match(/[a-z0-9]+/g) ?? []));
  expect([...reservedWords].filter((word) => !words.has(word))).toEqual(['true', 'false', 'null']);
});
