import { Faults } from '@weir/kit/faults';
import { applyChange, type Given, ifGiven, parseCleared, toChange } from '@weir/kit/patches';
import { parseFreeText, parseName } from '@weir/kit/records';
import { parseAlias } from './alias.js';
import { valueTypeFixed } from './conflicts.js';
import { parseViewOptions } from './parse-view-options.js';
import { type NewVariableInput, parseCadence, parseValueType, type Variable, type VariableFields } from './variable.js';

/** What a patch says of a variable. */
export interface VariablePatchInput extends Given<Omit<NewVariableInput, 'actor'>> {
  /** Names of members, as clients know them, that are set to null. */
  readonly cleared: readonly string[];
}

const nullableMembers = { unit: 'unit', expected_cadence_s: 'expectedCadenceS' } as const;

/** Checks the members that both kinds of variables have; every fault is added to `faults`. */
export function parseVariableMembers(patch: VariablePatchInput, faults: Faults): Partial<VariableFields> {
  const given = {
    name: ifGiven(patch.name, (name) => parseName(name, '/name', faults)),
    alias: ifGiven(patch.alias, (alias) => parseAlias(alias, faults)),
    unit: parseFreeText(patch.unit, '/unit', faults),
    expectedCadenceS: parseCadence(patch.expectedCadenceS, faults),
    isTimeVariable: patch.isTimeVariable,
    valueType: ifGiven(patch.valueType, (text) => parseValueType(text, faults)),
    viewOptions: ifGiven(patch.viewOptionsJson, (json) => parseViewOptions(json, '/view_options', faults)),
  };
  return toChange<VariableFields>(given, parseCleared(patch.cleared, nullableMembers, faults));
}

/** Checks a patch of an ingested variable. @throws WeirError `invalid_request` with every fault */
export function parseIngestedPatch(patch: VariablePatchInput | undefined): Partial<VariableFields> {
  const faults = new Faults();
  const change = parseVariableMembers(patch ?? { cleared: [] }, faults);
  faults.throwIfAny();
  return change;
}

/**
 * An ingested variable as a change leaves it; undefined when it stays as it is.
 *
 * @throws WeirError `lifecycle_conflict` when its values would come to be of another type
 */
export function changeIngested(
  variable: Variable,
  change: Partial<VariableFields>,
  hasObservations: boolean,
): Variable | undefined {
  const changed = applyChange(variable, change);
  if (changed === undefined || changed.valueType === variable.valueType) return changed;
  if (hasObservations) throw valueTypeFixed();
  return { ...changed, configurationGeneration: variable.configurationGeneration + 1 };
}

const remembered = ['name', 'configurationGeneration', 'unit', 'expectedCadenceS'] as const;

/** Whether what processors remember of a variable by its name, or gateways by its id, may be wrong after this change. */
export function changesResolution(before: Variable, after: Variable): boolean {
  return remembered.some((member) => before[member] !== after[member]);
}
