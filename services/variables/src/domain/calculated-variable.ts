import { Faults } from '@weir/kit/faults';
import { ifGiven } from '@weir/kit/patches';
import type { NewCalculation } from './calculation.js';
import { type CalculationRequest, parseCalculations } from './parse-calculations.js';
import { type NewVariable, type NewVariableInput, parseNewMembers, type VariableFields } from './variable.js';
import { parseVariableMembers, type VariablePatchInput } from './variable-patch.js';

/** Checks a new calculated variable in shape. @throws WeirError `invalid_request` with every fault */
export function parseNewCalculated(
  input: NewVariableInput & { readonly calculations: readonly CalculationRequest[] },
): NewVariable & { readonly calculations: NewCalculation[] } {
  const faults = new Faults();
  const members = parseNewMembers(input, faults);
  const calculations = parseCalculations(input.calculations, faults);
  faults.throwIfAny();
  return { ...members, calculations };
}

/** What a patch says of a calculated variable. */
type CalculatedPatchInput = VariablePatchInput & {
  readonly calculations?: { readonly items: readonly CalculationRequest[] } | undefined;
};

/** A patch of a calculated variable, checked in shape. */
export interface CalculatedChange {
  readonly members: Partial<VariableFields>;
  /** undefined: they stay; else they take the place of all that there are */
  readonly calculations: NewCalculation[] | undefined;
}

/** Checks a patch of a calculated variable in shape. @throws WeirError `invalid_request` with every fault */
export function parseCalculatedPatch(patch: CalculatedPatchInput | undefined): CalculatedChange {
  const faults = new Faults();
  const members = parseVariableMembers(patch ?? { cleared: [] }, faults);
  const calculations = ifGiven(patch?.calculations, ({ items }) => parseCalculations(items, faults));
  faults.throwIfAny();
  return { members, calculations };
}
