import { isId } from '@weir/kit/ids';
import { aliasFault } from './alias.js';
import { Faults } from './faults.js';
import { type Actor, parseActor } from './parse-actor.js';
import { parseNumber } from './parse-number.js';
import { parseFreeText, parseName } from './parse-text.js';
import type { CatalogRecord } from './record.js';
import { parseViewOptions, type ViewOptions } from './view-options.js';

/** What values of a variable may be; booleans are 0 and 1. */
export const valueTypes = ['decimal', 'integer', 'boolean'] as const;
export type ValueType = (typeof valueTypes)[number];

/** Where values of a variable come from. */
export const variableTypes = ['ingested', 'calculated'] as const;
export type VariableType = (typeof variableTypes)[number];

/** One series of values of an instrument. */
export interface Variable extends CatalogRecord {
  /** The number that names its series. */
  readonly variableKey: number;
  readonly instrumentId: string;
  readonly alias: string;
  readonly variableType: VariableType;
  readonly unit?: string | undefined;
  readonly expectedCadenceS?: number | undefined;
  readonly isTimeVariable: boolean;
  readonly configurationGeneration: number;
  readonly valueType: ValueType;
  readonly viewOptions: ViewOptions;
}

/** What a client says of a new ingested variable; empty texts stand for defaults. */
export interface NewVariableInput {
  readonly name: string;
  readonly alias: string;
  readonly unit?: string | undefined;
  readonly expectedCadenceS?: number | undefined;
  readonly isTimeVariable: boolean;
  readonly valueType: string;
  readonly viewOptionsJson: string;
  readonly actor?: Actor | undefined;
}

/** A new ingested variable, checked. */
export interface NewVariable {
  readonly name: string;
  /** undefined: to be derived from the name */
  readonly alias: string | undefined;
  readonly unit?: string | undefined;
  readonly expectedCadenceS?: number | undefined;
  readonly isTimeVariable: boolean;
  readonly valueType: ValueType;
  readonly viewOptions: ViewOptions;
  readonly actor: Actor;
}

const cadenceBounds = { min: 1, max: 2_147_483_647 };

function parseAlias(alias: string, faults: Faults): string | undefined {
  if (alias === '') return undefined;
  const fault = aliasFault(alias);
  if (fault !== undefined) faults.add('/alias', 'invalid_alias', fault);
  return alias;
}

function parseValueType(text: string, faults: Faults): ValueType {
  if (text === '') return 'decimal';
  const found = valueTypes.find((type) => type === text);
  if (found === undefined) faults.add('/value_type', 'invalid_value', `Give one of ${valueTypes.join(', ')}.`);
  return found ?? 'decimal';
}

/** Checks a new ingested variable. @throws WeirError `invalid_request` with every fault */
export function parseNewVariable(input: NewVariableInput): NewVariable {
  const faults = new Faults();
  const variable = {
    name: parseName(input.name, '/name', faults),
    alias: parseAlias(input.alias, faults),
    unit: parseFreeText(input.unit, '/unit', faults),
    expectedCadenceS: parseNumber(input.expectedCadenceS, '/expected_cadence_s', cadenceBounds, faults),
    isTimeVariable: input.isTimeVariable,
    valueType: parseValueType(input.valueType, faults),
    viewOptions: parseViewOptions(input.viewOptionsJson, '/view_options', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return variable;
}

const variableIdsMax = 1000;

/**
 * The different ids of variables that a request asks for, in its order; texts that cannot be ids
 * name none and are left out.
 *
 * @throws WeirError `invalid_request` when there are more than 1,000
 */
export function parseVariableIds(texts: readonly string[]): string[] {
  const ids = [...new Set(texts)].filter(isId);
  if (ids.length > variableIdsMax) {
    const faults = new Faults();
    faults.add('/variable_ids', 'too_many', `Ask for at most ${variableIdsMax} variables at a time.`);
    faults.throwIfAny();
  }
  return ids;
}
