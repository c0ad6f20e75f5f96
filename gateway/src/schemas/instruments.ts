import { formatInstant } from '@weir/kit/time';
import type { CreateInstrumentRequest, Instrument, InstrumentPatch } from '@weir/proto/variables';
import { z } from 'zod';
import { idText, instantText } from './answers.js';
import type { Patch } from './patches.js';
import { recalculationRunId } from './recalculations.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { freeText, metadata, nameText, referenceText } from './texts.js';

/** What a client says of an instrument. */
export const instrumentMembers = {
  name: nameText.meta({ description: 'Unique within the site, or among the instruments without one.' }),
  description: freeText,
  site_id: referenceText.nullable().meta({ description: 'The site that it is at; null for none.' }),
  manufacturer: freeText.nullable(),
  model: freeText.nullable(),
  serial_number: freeText.nullable(),
  metadata,
};

/** What a client says of a new instrument. */
export const newInstrument = z.strictObject(instrumentMembers).partial().extend({ name: instrumentMembers.name });

const schema = recordSchema('Instrument', {
  site_id: idText.nullable().meta({ description: 'Null for an instrument without a site.' }),
  name: z.string(),
  description: z.string(),
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
  serial_number: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  last_observation_at: instantText.nullable().meta({
    description: 'The greatest instant of all its observations; null while there are none.',
  }),
});

const example: z.output<typeof schema> = recordExample(exampleIds.instrument, {
  site_id: exampleIds.site,
  name: 'Gauge 12',
  description: '',
  manufacturer: 'Campbell Scientific',
  model: 'CR1000X',
  serial_number: '12345',
  metadata: { mast: 'left bank' },
  last_observation_at: '2026-01-31T12:10:00.000Z',
});

/** An instrument in answers. */
export const instrumentShape = { schema, example };

/** What restoring an instrument answers: beside its members the run that recalculates what comes back with it. */
export const restoredInstrumentShape = {
  schema: schema.extend({ recalculation_batch_run_id: recalculationRunId }),
  example: { ...example, recalculation_batch_run_id: exampleIds.run },
};

/** @param lastInstants - the greatest instant of each instrument that has observations, by its id */
export function toInstrumentJson(
  instrument: Instrument,
  lastInstants: ReadonlyMap<string, number>,
): z.output<typeof schema> {
  const lastUs = lastInstants.get(instrument.id);
  return toRecordJson(instrument, {
    site_id: instrument.siteId ?? null,
    name: instrument.name,
    description: instrument.description,
    manufacturer: instrument.manufacturer ?? null,
    model: instrument.model ?? null,
    serial_number: instrument.serialNumber ?? null,
    metadata: instrument.metadata,
    last_observation_at: lastUs === undefined ? null : formatInstant(lastUs),
  });
}

/** A new instrument as the service takes it. */
export function fromNewInstrument(
  instrument: z.output<typeof newInstrument>,
): Omit<CreateInstrumentRequest, 'projectId' | 'actor'> {
  return {
    siteId: instrument.site_id ?? undefined,
    name: instrument.name,
    description: instrument.description ?? '',
    manufacturer: instrument.manufacturer ?? undefined,
    model: instrument.model ?? undefined,
    serialNumber: instrument.serial_number ?? undefined,
    metadata: instrument.metadata ?? {},
  };
}

/** Changes of an instrument as the service takes them. */
export function fromInstrumentPatch({ given, cleared }: Patch<typeof instrumentMembers>): InstrumentPatch {
  return {
    name: given.name,
    description: given.description,
    siteId: given.site_id,
    manufacturer: given.manufacturer,
    model: given.model,
    serialNumber: given.serial_number,
    metadata: given.metadata && { entries: given.metadata },
    cleared,
  };
}
