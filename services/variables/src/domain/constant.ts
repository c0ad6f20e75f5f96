import { Faults } from '@weir/kit/faults';
import { type Given, ifGiven, parseCleared, toChange } from '@weir/kit/patches';
import { type Actor, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import { parseAlias } from './alias.js';
import { checkStarts, clampInstant } from './parse-calculations.js';
import { anyNumber, parseNumber } from './parse-number.js';
import type { CatalogRecord } from './record.js';
import type { Step } from './steps.js';

/** What a client says of a calibration constant. */
export interface ConstantFields {
  readonly name: string;
  readonly alias: string;
  readonly unit?: string | undefined;
  /** In ascending order of start: a value is in force until the next one begins. */
  readonly values: readonly Step<number>[];
}

/** A step function of time, for calculations of its instrument. */
export interface Constant extends ConstantFields, CatalogRecord {
  readonly instrumentId: string;
}

/** A new constant, checked; without an alias it is derived from the name. */
export type NewConstant = Omit<ConstantFields, 'alias'> & {
  readonly alias: string | undefined;
  readonly actor: Actor;
};

const valuesMax = 10_000;

function parseValues(values: readonly Step<number>[], faults: Faults): Step<number>[] {
  if (values.length < 1 || values.length > valuesMax) {
    faults.add('/values', 'out_of_range', `Give 1 to ${valuesMax} values, not ${values.length}.`);
    return [];
  }
  const steps = values.map(({ startTimeUs, value }, at) => ({
    startTimeUs: clampInstant(startTimeUs),
    value: parseNumber(value, `/values/${at}/value`, anyNumber, faults) ?? 0,
  }));
  checkStarts(steps, '/values', faults);
  return steps.sort((a, b) => a.startTimeUs - b.startTimeUs);
}

/** Checks a new constant. @throws WeirError `invalid_request` with every fault */
export function parseNewConstant(input: ConstantFields & { readonly actor?: Actor | undefined }): NewConstant {
  const faults = new Faults();
  const constant = {
    name: parseName(input.name, '/name', faults),
    alias: input.alias === '' ? undefined : parseAlias(input.alias, faults),
    unit: parseFreeText(input.unit, '/unit', faults),
    values: parseValues(input.values, faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return constant;
}

/** What a patch says of a constant. */
interface ConstantPatchInput extends Given<Omit<ConstantFields, 'values'>> {
  readonly values?: { readonly items: readonly Step<number>[] } | undefined;
  /** Names of members, as clients know them, that are set to null. */
  readonly cleared: readonly string[];
}

/** Checks a patch of a constant. @throws WeirError `invalid_request` with every fault */
export function parseConstantPatch(patch: ConstantPatchInput | undefined): Partial<ConstantFields> {
  const faults = new Faults();
  const given = {
    name: ifGiven(patch?.name, (name) => parseName(name, '/name', faults)),
    alias: ifGiven(patch?.alias, (alias) => parseAlias(alias, faults)),
    unit: parseFreeText(patch?.unit, '/unit', faults),
    values: ifGiven(patch?.values, ({ items }) => parseValues(items, faults)),
  };
  const cleared = parseCleared(patch?.cleared ?? [], { unit: 'unit' } as const, faults);
  faults.throwIfAny();
  return toChange<ConstantFields>(given, cleared);
}
