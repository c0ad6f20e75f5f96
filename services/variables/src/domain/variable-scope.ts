import { Faults } from '@weir/kit/faults';
import { isId } from '@weir/kit/ids';
import { type VariableType, variableTypes } from './variable.js';

/** Which variables of a project are asked for, as requests have it; empty texts say nothing. */
export interface VariableScopeInput {
  readonly variableIds: readonly string[];
  readonly instrumentId: string;
  readonly groupId: string;
}

/** Which variables of a project are asked for. */
export interface VariableScope {
  readonly variableIds: readonly string[];
  readonly instrumentId: string | undefined;
  readonly groupId: string | undefined;
}

const variableIdsMax = 1000;

/**
 * The different ids of variables that a request asks for, in its order, or else whose variables; texts that
 * cannot be ids of variables name none and are left out.
 *
 * @throws WeirError `invalid_request` when there are more than 1,000, and when a group is not asked for alone
 */
export function parseVariableScope({ variableIds, instrumentId, groupId }: VariableScopeInput): VariableScope {
  const faults = new Faults();
  const ids = [...new Set(variableIds)].filter(isId);
  if (ids.length > variableIdsMax) {
    faults.add('/variable_ids', 'too_many', `Ask for at most ${variableIdsMax} variables at a time.`);
  }
  if (groupId !== '' && (instrumentId !== '' || variableIds.length > 0)) {
    faults.add('/group_id', 'invalid_value', 'Ask for the variables of a group alone.');
  }
  faults.throwIfAny();
  return {
    variableIds: ids,
    instrumentId: instrumentId === '' ? undefined : instrumentId,
    groupId: groupId === '' ? undefined : groupId,
  };
}

/** The kind of variables that is asked for; undefined: any. @throws WeirError `invalid_request` */
export function parseVariableType(text: string): VariableType | undefined {
  const found = variableTypes.find((type) => type === text);
  if (text === '' || found !== undefined) return found;
  const faults = new Faults();
  faults.add('/variable_type', 'invalid_value', `Give one of ${variableTypes.join(', ')}.`);
  faults.throwIfAny();
  return undefined;
}
