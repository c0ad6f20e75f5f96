import { WeirError } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { expect, test } from 'vitest';
import type { Calculation, CalculationInput } from './calculation.js';
import { checkExpressions, staleExpressions } from './check-expressions.js';

const idOf = (letter: string): string => letter.repeat(21);

const readables = {
  variables: new Map([
    ['v', { id: 'v', instrumentId: 'here', alias: 'level', isActive: true }],
    ['far', { id: 'far', instrumentId: 'there', alias: 'level', isActive: false }],
  ]),
  constants: new Map([['k', { id: 'k', instrumentId: 'here', alias: 'slope', isActive: true }]]),
};

const level: CalculationInput = { id: idOf('v'), kind: 'self_variable', variableId: 'v' };
const far: CalculationInput = {
  id: idOf('f'),
  kind: 'instrument_variable',
  variableId: 'far',
  sourceInstrumentId: 'there',
};
const slope: CalculationInput = { id: idOf('k'), kind: 'constant', constantId: 'k' };
const gone: CalculationInput = { id: idOf('g'), kind: 'constant', constantId: 'gone' };

function calculation(expression: string, ...inputs: CalculationInput[]): Calculation {
  return { id: idOf('c'), startTimeUs: 7, expression, editorTokens: [], inputs };
}

function faultsOf(...calculations: Calculation[]): string[] {
  const faults = new Faults();
  checkExpressions(calculations, readables, faults, 'here');
  try {
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path.replace('/calculations/', '')} ${code}`);
  }
  return [];
}

test('names mean what is read, by alias or id, archived or not', () => {
  expect(
    faultsOf(
      calculation('level * slope', level, slope),
      calculation(`{${level.id}} - {${far.id}}`, level, far),
      calculation(`level + mean({${idOf('w')}})`, level, { ...slope, ...level, id: idOf('w'), pastBufferSeconds: 60 }),
    ),
  ).toEqual(['2/expression ambiguous_name']);
});

test('nothing is told of an expression with an input that is of another kind than it says', () => {
  const near: CalculationInput = { ...far, variableId: 'v', sourceInstrumentId: 'here' };
  expect(faultsOf(calculation('level', near), calculation('level', level, near))).toEqual([]);
});

test('faults stand at the expression, at an input or at all of them', () => {
  expect(faultsOf(calculation('level', level), calculation('stage', slope))).toEqual([
    '1/expression unknown_name',
    '1/inputs/0 unused_input',
    '1/inputs no_driving_input',
  ]);
});

test('nothing is told where an input is not there', () => {
  expect(faultsOf(calculation('level * slope', level, gone))).toEqual([]);
});

test('stored expressions are stale where a name means none or two of the inputs', () => {
  const stored = [
    calculation('level', level),
    calculation('stage + slope', level, slope),
    calculation('level', level, far),
    // saved before expressions were checked
    calculation('level +', level),
  ];
  const stale = staleExpressions('x', stored, readables);
  expect(stale.map(({ message }) => message)).toEqual([
    expect.stringContaining('No input is called stage'),
    expect.stringContaining('2 inputs are called level'),
  ]);
  expect(stale[0]).toMatchObject({ variableId: 'x', startTimeUs: 7 });
});
