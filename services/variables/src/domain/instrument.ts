import { Faults } from '@weir/kit/faults';
import { type Given, ifGiven, parseCleared, toChange } from '@weir/kit/patches';
import { type Actor, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import { type Metadata, parseMetadata } from './parse-metadata.js';
import type { CatalogRecord } from './record.js';

/** What a client says of an instrument. */
export interface InstrumentFields {
  readonly siteId?: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly metadata: Metadata;
}

/** A logger or sensor, at a site or without one. */
export interface Instrument extends InstrumentFields, CatalogRecord {}

function parseMake(
  { manufacturer, model, serialNumber }: Pick<InstrumentFields, 'manufacturer' | 'model' | 'serialNumber'>,
  faults: Faults,
) {
  return {
    manufacturer: parseFreeText(manufacturer, '/manufacturer', faults),
    model: parseFreeText(model, '/model', faults),
    serialNumber: parseFreeText(serialNumber, '/serial_number', faults),
  };
}

/** Checks a new instrument. @throws WeirError `invalid_request` with every fault */
export function parseNewInstrument(
  input: InstrumentFields & { readonly actor?: Actor | undefined },
): InstrumentFields & {
  readonly actor: Actor;
} {
  const faults = new Faults();
  const instrument = {
    siteId: input.siteId,
    name: parseName(input.name, '/name', faults),
    description: parseFreeText(input.description, '/description', faults),
    ...parseMake(input, faults),
    metadata: parseMetadata(input.metadata, '/metadata', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return instrument;
}

/** What a patch says of an instrument. */
interface InstrumentPatchInput extends Given<Omit<InstrumentFields, 'metadata'>> {
  readonly metadata?: { readonly entries: Metadata } | undefined;
  /** Names of members, as clients know them, that are set to null. */
  readonly cleared: readonly string[];
}

const nullableMembers = {
  site_id: 'siteId',
  manufacturer: 'manufacturer',
  model: 'model',
  serial_number: 'serialNumber',
} as const;

/** Checks a patch of an instrument. @throws WeirError `invalid_request` with every fault */
export function parseInstrumentPatch(patch: InstrumentPatchInput | undefined): Partial<InstrumentFields> {
  const faults = new Faults();
  const given = {
    siteId: patch?.siteId,
    name: ifGiven(patch?.name, (name) => parseName(name, '/name', faults)),
    description: parseFreeText(patch?.description, '/description', faults),
    ...parseMake(patch ?? {}, faults),
    metadata: ifGiven(patch?.metadata, ({ entries }) => parseMetadata(entries, '/metadata', faults)),
  };
  const cleared = parseCleared(patch?.cleared ?? [], nullableMembers, faults);
  faults.throwIfAny();
  return toChange<InstrumentFields>(given, cleared);
}

/** Whether a name that points use may mean another instrument after this change. */
export function changesNames(before: InstrumentFields, after: InstrumentFields): boolean {
  return before.name !== after.name || before.siteId !== after.siteId;
}
