import type { ValueType, VariableType } from './variable.js';

/** What the catalog holds of one asked instrument and one of its asked variables, at one moment. */
export interface NameRow {
  /** Position of the instrument among those asked, from 1. */
  readonly ordinal: number;
  readonly generation: number;
  /** A site was given, and the project has no such one. */
  readonly isSiteMissing: boolean;
  /** The active instrument that is meant. */
  readonly instrumentId?: string | undefined;
  /** Several active ones are meant. */
  readonly isAmbiguous: boolean;
  /** No active one is meant, but an archived one is, or one at an archived site, where none is active or created. */
  readonly isArchived: boolean;
  /** The asked variable; absent when none is asked. */
  readonly variableName?: string | undefined;
  readonly variableId?: string | undefined;
  readonly variableKey?: number | undefined;
  readonly variableType?: VariableType | undefined;
  readonly valueType?: ValueType | undefined;
  readonly configurationGeneration?: number | undefined;
  /** No active variable has the name, but an archived one does. */
  readonly isVariableArchived: boolean;
}

/** The variable that a name means. */
export interface KnownVariable {
  readonly variableId: string;
  readonly variableKey: number;
  readonly valueType: ValueType;
  readonly configurationGeneration: number;
}

/** What the name of a variable means: one that takes values, why none does, or nothing yet. */
export type VariableView = KnownVariable | 'variable_not_ingestible' | 'variable_archived' | 'missing';

/** What the name of an instrument means: one with its variables, why none is, or nothing yet. */
export type InstrumentView =
  | { readonly instrumentId: string; readonly variables: ReadonlyMap<string, VariableView> }
  | 'site_not_found'
  | 'instrument_ambiguous'
  | 'instrument_archived'
  | 'missing';

/** The catalog as far as it was asked, in the order asked. */
export interface CatalogView {
  readonly generation: number;
  readonly instruments: readonly InstrumentView[];
}

function variableView(row: NameRow): VariableView {
  const { variableId, variableKey, valueType, configurationGeneration } = row;
  if (
    variableId === undefined ||
    variableKey === undefined ||
    valueType === undefined ||
    configurationGeneration === undefined
  ) {
    return row.isVariableArchived ? 'variable_archived' : 'missing';
  }
  if (row.variableType === 'calculated') return 'variable_not_ingestible';
  return { variableId, variableKey, valueType, configurationGeneration };
}

function instrumentView(row: NameRow, variables: ReadonlyMap<string, VariableView>): InstrumentView {
  if (row.isSiteMissing) return 'site_not_found';
  if (row.isAmbiguous) return 'instrument_ambiguous';
  if (row.instrumentId !== undefined) return { instrumentId: row.instrumentId, variables };
  return row.isArchived ? 'instrument_archived' : 'missing';
}

/** Reads rows of one statement, in the order of instruments asked and at least one for each. */
export function viewCatalog(rows: readonly NameRow[]): CatalogView {
  const instruments: InstrumentView[] = [];
  let variables = new Map<string, VariableView>();
  for (const row of rows) {
    if (row.ordinal > instruments.length) {
      variables = new Map();
      instruments.push(instrumentView(row, variables));
    }
    if (row.variableName !== undefined) variables.set(row.variableName, variableView(row));
  }
  return { generation: rows[0]?.generation ?? 1, instruments };
}

/** Whether something asked is not there and could be created. */
export function hasMissing(view: CatalogView): boolean {
  return view.instruments.some(
    (instrument) =>
      instrument === 'missing' ||
      (typeof instrument !== 'string' && [...instrument.variables.values()].includes('missing')),
  );
}
