import { Faults } from '@weir/kit/faults';
import { type Actor, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import type { ViewOptions } from '@weir/variable-shapes';
import { parseAlias } from './alias.js';
import { parseNumber } from './parse-number.js';
import { parseViewOptions } from './parse-view-options.js';
import type { CatalogRecord } from './record.js';

/** What values of a variable may be; booleans are 0 and 1. */
export const valueTypes = ['decimal', 'integer', 'boolean'] as const;
export type ValueType = (typeof valueTypes)[number];

/** Where values of a variable come from. */
export const variableTypes = ['ingested', 'calculated'] as const;
export type VariableType = (typeof variableTypes)[number];

/** What a client says of a variable. */
export interface VariableFields {
  readonly name: string;
  readonly alias: string;
  readonly unit?: string | undefined;
  readonly expectedCadenceS?: number | undefined;
  readonly isTimeVariable: boolean;
  readonly valueType: ValueType;
  readonly viewOptions: ViewOptions;
}

/** One series of values of an instrument. */
export interface Variable extends VariableFields, CatalogRecord {
  /** The number that names its series. */
  readonly variableKey: number;
  readonly instrumentId: string;
  readonly variableType: VariableType;
  /** Rises with every change that can change values. */
  readonly configurationGeneration: number;
}

/** What a client says of a new variable; empty texts stand for defaults. */
export interface NewVariableInput extends Omit<VariableFields, 'valueType' | 'viewOptions'> {
  readonly valueType: string;
  readonly viewOptionsJson: string;
  readonly actor?: Actor | undefined;
}

/** A new variable, checked. */
export interface NewVariable extends Omit<VariableFields, 'alias'> {
  /** undefined: to be derived from the name */
  readonly alias: string | undefined;
  readonly actor: Actor;
}

const cadenceBounds = { min: 1, max: 2_147_483_647 };

/** Seconds between values, absent where it may be; a fault when they cannot be. */
export function parseCadence(seconds: number | undefined, faults: Faults): number | undefined {
  return parseNumber(seconds, '/expected_cadence_s', cadenceBounds, faults);
}

/** One of the types of values; a fault when it is none. */
export function parseValueType(text: string, faults: Faults): ValueType {
  const found = valueTypes.find((type) => type === text);
  if (found === undefined) faults.add('/value_type', 'invalid_value', `Give one of ${valueTypes.join(', ')}.`);
  return found ?? 'decimal';
}

/** Checks what new variables of both kinds have; every fault is added to `faults`. */
export function parseNewMembers(input: NewVariableInput, faults: Faults): NewVariable {
  return {
    name: parseName(input.name, '/name', faults),
    alias: input.alias === '' ? undefined : parseAlias(input.alias, faults),
    unit: parseFreeText(input.unit, '/unit', faults),
    expectedCadenceS: parseCadence(input.expectedCadenceS, faults),
    isTimeVariable: input.isTimeVariable,
    valueType: input.valueType === '' ? 'decimal' : parseValueType(input.valueType, faults),
    viewOptions: parseViewOptions(input.viewOptionsJson, '/view_options', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
}

/** Checks a new ingested variable. @throws WeirError `invalid_request` with every fault */
export function parseNewVariable(input: NewVariableInput): NewVariable {
  const faults = new Faults();
  const variable = parseNewMembers(input, faults);
  faults.throwIfAny();
  return variable;
}
