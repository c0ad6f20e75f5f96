import type { Faults } from '@weir/kit/faults';
import { isId } from '@weir/kit/ids';
import { parseName } from '@weir/kit/records';

/** Names that points use for one instrument, as they came. */
export interface InstrumentNames {
  /** empty: none given */
  readonly siteId: string;
  readonly instrumentName: string;
  readonly variableNames: readonly string[];
}

/** One instrument asked after: by name at a site, or by name alone. */
export interface AskedInstrument {
  readonly siteId: string | undefined;
  readonly name: string;
  readonly variableNames: ReadonlySet<string>;
}

/** What a request asks, every instrument once, and where its parts stand in the request. */
export interface AskedNames {
  readonly instruments: readonly AskedInstrument[];
  /** For each part of the request: which of `instruments`, and its variables in the order asked. */
  readonly parts: readonly { readonly instrument: number; readonly variableNames: readonly string[] }[];
}

/** The id of no site: it stands for every text that cannot be one. */
const noSite = '00000000-0000-0000-0000-000000000000';

/** Normalizes and merges the names of a request; a fault for each that cannot be one. */
export function mergeNames(asked: readonly InstrumentNames[], faults: Faults): AskedNames {
  const indexes = new Map<string, number>();
  const instruments: { siteId: string | undefined; name: string; variableNames: Set<string> }[] = [];
  const parts = asked.map((part, at) => {
    const path = `/instruments/${at}`;
    const name = parseName(part.instrumentName, `${path}/instrument_name`, faults);
    const siteId = part.siteId === '' ? undefined : isId(part.siteId) ? part.siteId : noSite;
    const variableNames = part.variableNames.map((variable, index) =>
      parseName(variable, `${path}/variable_names/${index}`, faults),
    );
    const key = `${siteId ?? ''}/${name}`;
    let instrument = indexes.get(key);
    if (instrument === undefined) {
      instrument = instruments.push({ siteId, name, variableNames: new Set() }) - 1;
      indexes.set(key, instrument);
    }
    for (const variable of variableNames) instruments[instrument]?.variableNames.add(variable);
    return { instrument, variableNames };
  });
  return { instruments, parts };
}
