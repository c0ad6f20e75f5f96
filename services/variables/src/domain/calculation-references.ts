import type { Faults } from '@weir/kit/faults';
import type { NewCalculation, NewInput } from './calculation.js';

/** A variable or a constant that an input names. */
export interface Readable {
  readonly id: string;
  readonly instrumentId: string;
  readonly alias: string;
  /** The effective state. */
  readonly isActive: boolean;
}

/** What of the inputs is there in the project, by id. */
export interface Readables {
  readonly variables: ReadonlyMap<string, Readable>;
  readonly constants: ReadonlyMap<string, Readable>;
}

/** An input and where it stands in the request. */
export interface Located {
  readonly input: NewInput;
  readonly path: string;
}

/** Every input of calculations that are in the order of the request. */
export function locateInputs(calculations: readonly NewCalculation[]): Located[] {
  return calculations.flatMap(({ inputs }, of) =>
    inputs.map((input, at) => ({ input, path: `/calculations/${of}/inputs/${at}` })),
  );
}

/** The different variables and constants that calculations read. */
export function readIds(calculations: readonly NewCalculation[]): { variableIds: string[]; constantIds: string[] } {
  const inputs = calculations.flatMap((calculation) => calculation.inputs);
  const distinct = (ids: readonly (string | undefined)[]) => [...new Set(ids.filter((id) => id !== undefined))];
  return {
    variableIds: distinct(inputs.map(({ variableId }) => variableId)),
    constantIds: distinct(inputs.map(({ constantId }) => constantId)),
  };
}

function checkSource({ input, path }: Located, found: Readable, instrumentId: string, faults: Faults): void {
  const source = input.sourceInstrumentId;
  const sourcePath = `${path}/source_instrument_id`;
  if (input.kind === 'self_variable') {
    if (found.instrumentId !== instrumentId) {
      const message = 'The variable is of another instrument; read it as an instrument_variable.';
      faults.add(`${path}/variable_id`, 'other_instrument', message);
    } else if (source !== undefined && source !== instrumentId) {
      faults.add(sourcePath, 'other_instrument', 'Leave this out: the variable is of the same instrument.');
    }
  } else if (found.instrumentId === instrumentId) {
    faults.add(
      `${path}/variable_id`,
      'same_instrument',
      'The variable is of this instrument; read it as a self_variable.',
    );
  } else if (source !== found.instrumentId) {
    faults.add(sourcePath, 'other_instrument', 'Give the instrument that the variable is of.');
  }
}

/**
 * Adds a fault for each input that names what cannot be read: what the project does not have, what is
 * archived, a constant of another instrument, a variable of another instrument than the input says.
 *
 * @param instrumentId - the instrument of the calculated variable
 */
export function checkReferences(
  calculations: readonly NewCalculation[],
  instrumentId: string,
  { variables, constants }: Readables,
  faults: Faults,
): void {
  for (const located of locateInputs(calculations)) {
    const { input, path } = located;
    const isConstant = input.kind === 'constant';
    const what = isConstant ? 'constant' : 'variable';
    const idPath = `${path}/${what}_id`;
    const found = isConstant ? constants.get(input.constantId ?? '') : variables.get(input.variableId ?? '');
    if (found === undefined) faults.add(idPath, `${what}_not_found`, `The project has no such ${what}.`);
    else if (!found.isActive) faults.add(idPath, `${what}_archived`, `The ${what} is archived; restore it first.`);
    else if (!isConstant) checkSource(located, found, instrumentId, faults);
    else if (found.instrumentId !== instrumentId) {
      faults.add(
        idPath,
        'other_instrument',
        'The constant is of another instrument; only those of this one can be read.',
      );
    }
  }
}

/** Without what only repeats that a variable is of the same instrument. */
export function withoutRedundantSources(calculations: readonly NewCalculation[]): NewCalculation[] {
  return calculations.map((calculation) => ({
    ...calculation,
    inputs: calculation.inputs.map((input) =>
      input.kind === 'self_variable' ? { ...input, sourceInstrumentId: undefined } : input,
    ),
  }));
}
