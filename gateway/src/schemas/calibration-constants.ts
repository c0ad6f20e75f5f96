import { formatInstant } from '@weir/kit/time';
import type { Constant, ConstantPatch, ConstantValue, CreateConstantRequest } from '@weir/proto/variables';
import { z } from 'zod';
import { idText, instantText } from './answers.js';
import type { Patch } from './patches.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { aliasText, freeText, instantInput, nameText } from './texts.js';

const valueIn = z.strictObject({
  start_time: instantInput.meta({
    description:
      'The value holds from this instant until the next one begins. Before 1700 it means 1700, after 2250 it means 2250.',
  }),
  value: z.number(),
});

/** What a client says of a calibration constant. */
export const constantMembers = {
  name: nameText.meta({ description: 'Unique among the constants of the instrument.' }),
  alias: aliasText,
  unit: freeText.nullable(),
  values: z
    .array(valueIn)
    .min(1)
    .max(10_000)
    .meta({ description: 'Steps in time, each with a start of its own. They are replaced as a whole.' }),
};

const { name, values } = constantMembers;
/** What a client says of a new calibration constant. */
export const newConstant = z.strictObject(constantMembers).partial().extend({ name, values });

const schema = recordSchema('CalibrationConstant', {
  instrument_id: idText,
  name: z.string(),
  alias: z.string().meta({ description: 'Names it in expressions.' }),
  unit: z.string().nullable(),
  values: z
    .array(z.strictObject({ start_time: instantText, value: z.number() }))
    .meta({ description: 'In ascending order of `start_time`.' }),
});

const example: z.output<typeof schema> = recordExample(exampleIds.constant, {
  instrument_id: exampleIds.instrument,
  name: 'slope',
  alias: 'slope',
  unit: 'm²/s',
  values: [
    { start_time: '2026-01-01T00:00:00.000Z', value: 1.25 },
    { start_time: '2026-06-01T00:00:00.000Z', value: 1.31 },
  ],
});

/** A calibration constant in answers. */
export const constantShape = { schema, example };

/** A calibration constant as it is answered. */
export function toConstantJson(constant: Constant): z.output<typeof schema> {
  return toRecordJson(constant, {
    instrument_id: constant.instrumentId,
    name: constant.name,
    alias: constant.alias,
    unit: constant.unit ?? null,
    values: constant.values.map(({ startTimeUs, value }) => ({ start_time: formatInstant(startTimeUs), value })),
  });
}

function fromValue({ start_time: startTimeUs, value }: z.output<typeof valueIn>): ConstantValue {
  return { startTimeUs, value };
}

/** A new calibration constant as the service takes it. */
export function fromNewConstant(
  constant: z.output<typeof newConstant>,
): Omit<CreateConstantRequest, 'projectId' | 'instrumentId' | 'actor'> {
  return {
    name: constant.name,
    alias: constant.alias ?? '',
    unit: constant.unit ?? undefined,
    values: constant.values.map(fromValue),
  };
}

/** Changes of a calibration constant as the service takes them. */
export function fromConstantPatch({ given, cleared }: Patch<typeof constantMembers>): ConstantPatch {
  return {
    name: given.name,
    alias: given.alias,
    unit: given.unit,
    values: given.values && { items: given.values.map(fromValue) },
    cleared,
  };
}
