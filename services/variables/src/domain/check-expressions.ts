import { check, type ExpressionFault, type ExpressionInput } from '@weir/expression';
import type { Faults } from '@weir/kit/faults';
import type { Calculation, NewCalculation, NewInput } from './calculation.js';
import type { Readables } from './calculation-references.js';
import type { StaleExpression } from './dependents.js';

function toExpressionInput(
  input: NewInput,
  { variables, constants }: Readables,
  instrumentId: string | undefined,
): ExpressionInput | undefined {
  const { id, kind, variableId, constantId, pastBufferSeconds } = input;
  const read = kind === 'constant' ? constants.get(constantId ?? '') : variables.get(variableId ?? '');
  if (read === undefined || (kind === 'instrument_variable' && read.instrumentId === instrumentId)) return undefined;
  return { id, kind, alias: read.alias, isWindowed: pastBufferSeconds !== undefined };
}

/**
 * What is wrong with the expression of a calculation; nothing is known where one of its inputs is not there, or is one of
 * another kind than it says.
 */
function expressionFaults(
  { expression, inputs }: Pick<NewCalculation, 'expression' | 'inputs'>,
  readables: Readables,
  instrumentId?: string,
): readonly ExpressionFault[] {
  const read = inputs
    .map((input) => toExpressionInput(input, readables, instrumentId))
    .filter((input) => input !== undefined);
  return read.length === inputs.length ? check(expression, read).faults : [];
}

/**
 * What of stored calculations means another input than when they were saved, or none: while nothing active
 * read them, aliases could change.
 */
export function staleExpressions(
  variableId: string,
  calculations: readonly Calculation[],
  readables: Readables,
): StaleExpression[] {
  return calculations.flatMap((calculation) =>
    expressionFaults(calculation, readables)
      .filter(({ code }) => code === 'unknown_name' || code === 'ambiguous_name')
      .map(({ message }) => ({ variableId, startTimeUs: calculation.startTimeUs, message })),
  );
}

function pathOf({ offset, input }: ExpressionFault): string {
  if (offset !== undefined) return 'expression';
  return input === undefined ? 'inputs' : `inputs/${input}`;
}

/**
 * Adds the faults of expressions: names that no input has or that two have, inputs that are not used, windows
 * where there are none, and calculations without a variable whose instants they could have.
 *
 * @param calculations - in the order of the request
 * @param instrumentId - that of their variable, where references were not checked before
 */
export function checkExpressions(
  calculations: readonly NewCalculation[],
  readables: Readables,
  faults: Faults,
  instrumentId?: string,
): void {
  for (const [at, calculation] of calculations.entries()) {
    for (const fault of expressionFaults(calculation, readables, instrumentId)) {
      faults.add(`/calculations/${at}/${pathOf(fault)}`, fault.code, fault.message);
    }
  }
}
