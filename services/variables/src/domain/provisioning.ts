import { aliasDeriver } from './alias.js';
import type { AskedInstrument } from './asked-names.js';
import type { CatalogView } from './catalog-view.js';

/** How much points may create. */
export interface ProvisioningLimits {
  readonly instrumentsPerProjectMax: number;
  readonly variablesPerInstrumentMax: number;
}

/** A variable that points create. */
export interface ProvisionedVariable {
  readonly instrumentId: string;
  readonly name: string;
  readonly alias: string;
}

/** The asked instruments that are not there, of those with a site or of those without. */
export function missingInstruments(
  asked: readonly AskedInstrument[],
  view: CatalogView,
  isSited: boolean,
): AskedInstrument[] {
  return asked.filter(
    ({ siteId }, index) => (siteId !== undefined) === isSited && view.instruments[index] === 'missing',
  );
}

/** The asked variables that are not there, by instrument; two askers of one instrument are merged. */
export function missingVariables(view: CatalogView): Map<string, Set<string>> {
  const missing = new Map<string, Set<string>>();
  for (const instrument of view.instruments) {
    if (typeof instrument === 'string') continue;
    for (const [name, variable] of instrument.variables) {
      if (variable !== 'missing') continue;
      const names = missing.get(instrument.instrumentId);
      if (names === undefined) missing.set(instrument.instrumentId, new Set([name]));
      else names.add(name);
    }
  }
  return missing;
}

/**
 * Which of the missing variables are created, with their aliases: as many of each instrument as
 * its limit leaves room for.
 *
 * @param taken - what each instrument has already: aliases, and how many active variables
 */
export function decideVariables(
  missing: ReadonlyMap<string, ReadonlySet<string>>,
  taken: ReadonlyMap<string, { readonly aliases: readonly string[]; readonly variables: number }>,
  variablesPerInstrumentMax: number,
): ProvisionedVariable[] {
  const variables: ProvisionedVariable[] = [];
  for (const [instrumentId, names] of missing) {
    const { aliases, variables: count } = taken.get(instrumentId) ?? { aliases: [], variables: 0 };
    const room = Math.max(0, variablesPerInstrumentMax - count);
    const derive = aliasDeriver(aliases);
    for (const name of [...names].slice(0, room)) variables.push({ instrumentId, name, alias: derive(name) });
  }
  return variables;
}
