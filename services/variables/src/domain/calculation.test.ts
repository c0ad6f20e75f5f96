import { expect, test } from 'vitest';
import { type Calculation, completeCalculations, isSame, type NewCalculation } from './calculation.js';

const level = { kind: 'self_variable', variableId: 'level' } as const;
const slope = { kind: 'constant', constantId: 'slope' } as const;

function numbered(): () => string {
  let made = 0;
  return () => `made ${++made}`;
}

const stored: Calculation[] = [
  {
    id: 'a',
    startTimeUs: 10,
    expression: 'level * slope',
    editorTokens: [{ kind: 'text', text: 'x' }],
    inputs: [
      { id: 'i', ...level },
      { id: 'j', ...slope },
    ],
  },
  { id: 'b', startTimeUs: 20, expression: 'level', editorTokens: [], inputs: [{ id: 'k', ...level }] },
];

function withoutIds(calculations: readonly Calculation[]): NewCalculation[] {
  return calculations.map((calculation) => ({
    ...calculation,
    id: undefined,
    inputs: calculation.inputs.map((input) => ({ ...input, id: undefined, sourceInstrumentId: undefined })),
  }));
}

test('what is saved again without ids stays the same', () => {
  const again = completeCalculations(withoutIds(stored).reverse(), stored, numbered());
  expect(isSame(again, stored)).toBe(true);
});

test('what is new gets new ids, and given ids are kept', () => {
  const [first, second] = withoutIds(stored);
  if (first === undefined || second === undefined) throw new Error('there are two');
  const moved = { ...first, startTimeUs: 15 };
  const given = { ...second, id: 'a', inputs: [{ ...level, id: 'j' }] };
  const completed = completeCalculations([given, moved], stored, numbered());
  expect(completed.map(({ id, startTimeUs }) => [id, startTimeUs])).toEqual([
    ['made 1', 15],
    ['a', 20],
  ]);
  expect(completed.map(({ inputs }) => inputs.map(({ id }) => id))).toEqual([['made 2', 'made 3'], ['j']]);
});

test('an id that the request gives to another is not taken twice', () => {
  const [first, second] = withoutIds(stored);
  if (first === undefined || second === undefined) throw new Error('there are two');
  const twice = {
    ...first,
    inputs: [
      { ...level, id: undefined },
      { ...level, id: 'i' },
    ],
  };
  const completed = completeCalculations([twice, { ...second, id: 'a' }], stored, numbered());
  expect(completed.map(({ id }) => id)).toEqual(['made 1', 'a']);
  expect(completed[0]?.inputs.map(({ id }) => id)).toEqual(['made 2', 'i']);
});

test.each<[string, Partial<Calculation>]>([
  ['id', { id: 'c' }],
  ['start', { startTimeUs: 11 }],
  ['expression', { expression: 'slope' }],
  ['tokens', { editorTokens: [] }],
  ['inputs', { inputs: [{ id: 'i', ...level, pastBufferSeconds: 60 }] }],
])('another %s is another calculation', (_, change) => {
  expect(isSame(stored, [{ ...(stored[0] as Calculation), ...change }, ...stored.slice(1)])).toBe(false);
});
