import { Faults } from './faults.js';
import { type Actor, parseActor } from './parse-actor.js';
import { type Metadata, parseMetadata } from './parse-metadata.js';
import { parseFreeText, parseName } from './parse-text.js';
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
    manufacturer: parseFreeText(input.manufacturer, '/manufacturer', faults),
    model: parseFreeText(input.model, '/model', faults),
    serialNumber: parseFreeText(input.serialNumber, '/serial_number', faults),
    metadata: parseMetadata(input.metadata, '/metadata', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return instrument;
}
