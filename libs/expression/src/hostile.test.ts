import { expect, test } from 'vitest';
import { check } from './check.js';
import { columnsOf } from './columns.js';
import { compile } from './compile.js';
import { costOf, stepsOf } from './cost.js';
import { evaluate } from './evaluate.js';
import { parse } from './parse.js';
import type { ExpressionInput } from './references.js';

const a: ExpressionInput = { id: undefined, kind: 'self_variable', alias: 'a', isWindowed: false };
const w: ExpressionInput = { id: undefined, kind: 'self_variable', alias: 'w', isWindowed: true };

/** CPU time, which other processes take no part of. */
function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test.each<[string, string, string]>([
  ['parentheses', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`, 'too_long'],
  ['open parentheses', '('.repeat(4096), 'too_deep'],
  ['calls', 'abs('.repeat(1000), 'too_deep'],
  ['signs', '-'.repeat(4000), 'too_deep'],
  ['negations', 'not '.repeat(1000), 'too_deep'],
  ['powers', `2${'^2'.repeat(2000)}`, 'too_deep'],
  ['powers of signs', `2${'^-2'.repeat(1000)}`, 'too_deep'],
  ['terms', `a${'+a'.repeat(2000)}`, 'too_large'],
  ['arguments', `min(a${',a'.repeat(2000)})`, 'too_large'],
  ['text', 'a+'.repeat(500_000), 'too_long'],
  ['one number', '1'.repeat(4096), 'invalid_number'],
  ['white space', ' '.repeat(4096), 'missing_operand'],
  ['characters of two units', '😀'.repeat(4096), 'too_long'],
  ['braces', '{'.repeat(4096), 'invalid_character'],
])('any number of %s is refused at once', (_, text, code) => {
  let found: string | undefined;
  const cpuMs = cpuMsOf(() => {
    found = parse(text).fault?.code;
  });
  expect(found).toBe(code);
  expect(cpuMs).toBeLessThan(50);
});

test('what is just within the limits is read, checked and evaluated', () => {
  const deep = `${'('.repeat(64)}a${')'.repeat(64)}`;
  const nested = `${'abs(-'.repeat(32)}a${')'.repeat(32)}`;
  const ranked = `${'(1 or 1 and 1 < 1 + 1 * 2 ^ '.repeat(32)}a${')'.repeat(32)}`;
  const long = `a${'+a'.repeat(1022)}`;
  for (const text of [deep, nested, ranked, long]) {
    const { checked, faults } = check(text, [a]);
    expect(faults).toEqual([]);
    if (checked === undefined) continue;
    const { values } = evaluate(compile(checked), new Float64Array(1), [{ values: Float64Array.of(1) }]);
    expect(values[0]).toBe(text === long ? 1023 : 1);
  }
});

test('S14: all faults of a long expression are found in little time', () => {
  const text = 'mean(x)+'.repeat(340).concat('x');
  const inputs = Array.from({ length: 100 }, () => ({ ...a, alias: 'x' }));
  const cpuMs = cpuMsOf(() => {
    expect(check(text, inputs).faults.length).toBe(50);
  });
  expect(cpuMs).toBeLessThan(200);
});

test('a window of a million is read as often as the cost says, however often it is named', () => {
  const text = `a + ${Array(200).fill('mean(w) * mean(w)').join(' + ')} + stddev(w) + median(w) + count(w)`;
  const { checked } = check(text, [a, w]);
  if (checked === undefined) throw new Error('faults');
  const compiled = compile(checked);
  const cost = costOf(compiled);
  expect(cost).toEqual({ perInstant: 605, perWindowRow: [0, 4], sorts: [0, 1] });
  const rows = 1_000_000;
  const workload = { instants: 1, windowRows: [0, rows], windowRowsMax: [0, rows] };
  expect(stepsOf(cost, workload)).toBe(605 + rows * (4 + 20));

  const atUs = Float64Array.from({ length: rows }, (_, at) => at);
  const series = { atUs, values: Float64Array.from(atUs, (at) => (at * 7919) % 1000) };
  const instantsUs = Float64Array.of(rows - 1);
  const inputs = [
    { values: Float64Array.of(1) },
    columnsOf(needsOfW(compiled), { kind: 'self_variable', bufferUs: rows }, instantsUs, series),
  ];
  let found: number | undefined;
  const cpuMs = cpuMsOf(() => {
    found = evaluate(compiled, instantsUs, inputs).values[0];
  });
  expect(found).toBeGreaterThan(rows);
  // 24.6 million steps: far above 40 ns each would mean that the cost is not what it says
  expect(cpuMs).toBeLessThan(1000);
});

function needsOfW({ needs }: ReturnType<typeof compile>) {
  const [, ofW] = needs;
  if (ofW === undefined) throw new Error('no needs');
  return ofW;
}
