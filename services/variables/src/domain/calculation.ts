import type { Step } from './steps.js';

/** What an input of a calculation may be. */
export const inputKinds = ['self_variable', 'instrument_variable', 'constant'] as const;
export type InputKind = (typeof inputKinds)[number];

/** What a token of a client's own rendering may be. */
export const tokenKinds = ['text', 'input', 'function', 'operator', 'number'] as const;

/** A token of a client's own rendering of an expression: kept, never evaluated. */
export interface EditorToken {
  readonly kind: (typeof tokenKinds)[number];
  readonly text: string;
}

/** What an expression reads. */
export interface CalculationInput {
  /** 21 characters, unique within the calculation */
  readonly id: string;
  readonly kind: InputKind;
  /** a variable of the same instrument, or of `sourceInstrumentId` */
  readonly variableId?: string | undefined;
  readonly constantId?: string | undefined;
  /** of an `instrument_variable` alone */
  readonly sourceInstrumentId?: string | undefined;
  readonly pastBufferSeconds?: number | undefined;
}

/** One piece of a calculated variable: it applies from its start until that of the next one. */
export interface Calculation {
  /** 21 characters, unique within the variable */
  readonly id: string;
  /** Microseconds since 1970. */
  readonly startTimeUs: number;
  readonly expression: string;
  readonly editorTokens: readonly EditorToken[];
  readonly inputs: readonly CalculationInput[];
}

/** A checked input whose id may be left to us. */
export type NewInput = Omit<CalculationInput, 'id'> & { readonly id: string | undefined };

/** A checked calculation, in the place where the request has it; ids may be left to us. */
export type NewCalculation = Omit<Calculation, 'id' | 'inputs'> & {
  readonly id: string | undefined;
  readonly inputs: readonly NewInput[];
};

function readKey({ kind, variableId, constantId }: Omit<CalculationInput, 'id'>): string {
  return [kind, variableId, constantId].join(' ');
}

function givenIds(records: readonly { readonly id: string | undefined }[]): Set<string> {
  return new Set(records.flatMap(({ id }) => (id === undefined ? [] : [id])));
}

function completeInputs(
  inputs: readonly NewInput[],
  stored: readonly CalculationInput[],
  makeId: () => string,
): CalculationInput[] {
  const taken = givenIds(inputs);
  const storedOf = Map.groupBy(stored, readKey);
  return inputs.map((input) => {
    const same = storedOf.get(readKey(input))?.find(({ id }) => !taken.has(id));
    const id = input.id ?? same?.id ?? makeId();
    taken.add(id);
    return { ...input, id };
  });
}

/**
 * Gives ids to what has none, in ascending order of start. A piece that begins where a stored one does
 * takes its id, and an input that reads the same one its id: what is saved again unchanged stays so.
 *
 * @param stored - the calculations that are replaced
 */
export function completeCalculations(
  calculations: readonly NewCalculation[],
  stored: readonly Calculation[],
  makeId: () => string,
): Calculation[] {
  const taken = givenIds(calculations);
  const storedAt = new Map(stored.map((calculation) => [calculation.startTimeUs, calculation]));
  return calculations
    .map((calculation) => {
      const replaced = storedAt.get(calculation.startTimeUs);
      const free = replaced === undefined || taken.has(replaced.id) ? undefined : replaced.id;
      return {
        ...calculation,
        id: calculation.id ?? free ?? makeId(),
        inputs: completeInputs(calculation.inputs, replaced?.inputs ?? [], makeId),
      };
    })
    .sort((a, b) => a.startTimeUs - b.startTimeUs);
}

function textOf(calculations: readonly Calculation[]): string {
  return JSON.stringify(
    calculations.map(({ id, startTimeUs, expression, editorTokens, inputs }) => [
      id,
      startTimeUs,
      expression,
      editorTokens.map(({ kind, text }) => [kind, text]),
      inputs.map((input) => [input.id, readKey(input), input.sourceInstrumentId, input.pastBufferSeconds]),
    ]),
  );
}

/** Whether calculations are the same to the letter, in the same order. */
export function isSame(a: readonly Calculation[], b: readonly Calculation[]): boolean {
  return textOf(a) === textOf(b);
}

function meaning({ expression, inputs }: Calculation): string {
  // only then can an expression name inputs by id
  const hasIds = expression.includes('{');
  const read = inputs.map((input) => [readKey(input), input.pastBufferSeconds ?? null, hasIds ? input.id : null]);
  return JSON.stringify([expression, ...read.map((input) => JSON.stringify(input)).sort()]);
}

/**
 * What a variable computes, as steps of time: two calculations with the same text mean the same value
 * wherever both apply. Ids of calculations and their tokens are no part of it.
 */
export function meaningSteps(calculations: readonly Calculation[]): Step<string>[] {
  return calculations.map((calculation) => ({ startTimeUs: calculation.startTimeUs, value: meaning(calculation) }));
}

/** Where a variable reads a constant, as steps of time. */
export function readingSteps(calculations: readonly Calculation[], constantId: string): Step<boolean>[] {
  return calculations.map(({ startTimeUs, inputs }) => ({
    startTimeUs,
    value: inputs.some((input) => input.constantId === constantId),
  }));
}
