import { formatInstant } from '@weir/kit/time';
import type { Calculation } from '@weir/proto/variables';
import { bufferSecondsMax, calculationsMax, constantsMax, editorTokensMax, inputsMax } from '@weir/variable-shapes';
import { z } from 'zod';
import { idText, instantText } from './answers.js';
import { exampleIds } from './records.js';
import { freeText, instantInput, referenceText, shortIdText } from './texts.js';

const tokenKind = z.enum(['text', 'input', 'function', 'operator', 'number']);

const buffer = z.number().positive().max(bufferSecondsMax).nullable().optional().meta({
  description:
    'The window `(t - buffer, t]` that functions such as `mean` read; a variable of another instrument is read as its last value in it.',
});
const none = z.null().optional();

const inputIn = z.discriminatedUnion('kind', [
  z
    .strictObject({
      id: shortIdText.optional(),
      kind: z.literal('self_variable'),
      variable_id: referenceText,
      constant_id: none,
      source_instrument_id: referenceText.nullable().optional(),
      past_buffer_seconds: buffer,
    })
    .meta({ description: 'A variable of the same instrument.' }),
  z
    .strictObject({
      id: shortIdText.optional(),
      kind: z.literal('instrument_variable'),
      variable_id: referenceText,
      constant_id: none,
      source_instrument_id: referenceText.meta({ description: 'The instrument of the variable.' }),
      past_buffer_seconds: buffer,
    })
    .meta({ description: 'A variable of another instrument, read as of the instant.' }),
  z
    .strictObject({
      id: shortIdText.optional(),
      kind: z.literal('constant'),
      variable_id: none,
      constant_id: referenceText,
      source_instrument_id: none,
      past_buffer_seconds: none,
    })
    .meta({ description: 'A calibration constant of the same instrument.' }),
]);

const calculationIn = z.strictObject({
  id: shortIdText.optional(),
  start_time: instantInput.meta({
    description:
      'It applies from this instant until the next one begins. Before 1700 it means 1700, after 2250 it means 2250.',
  }),
  expression: freeText.min(1).meta({
    minLength: 1,
    description:
      'Arithmetic over the inputs, by alias or as `{input id}`, such as `12.4 * max(water_level - offset, 0) ^ 1.6`. Operators and functions are described where calculated variables are created.',
  }),
  editor_tokens: z
    .array(z.strictObject({ kind: tokenKind, text: freeText }))
    .max(editorTokensMax)
    .optional()
    .meta({ description: "The client's own rendering: kept and answered, never evaluated." }),
  inputs: z.array(inputIn).max(inputsMax).optional(),
});

/** Calculations as a client writes them. */
export const calculationsInput = z
  .array(calculationIn)
  .max(calculationsMax)
  .meta({
    description: `Pieces in time: of those that have begun, the last one applies; before the first there is no value. They are replaced as a whole, and read at most ${constantsMax} different constants together.`,
  });

const inputKinds = ['self_variable', 'instrument_variable', 'constant'] as const;
const shortId = z.string().meta({ pattern: '^[A-Za-z0-9_-]{21}$' });

/** A calculation in answers. */
export const calculationOutput = z
  .strictObject({
    id: shortId,
    start_time: instantText,
    expression: z.string(),
    editor_tokens: z.array(z.strictObject({ kind: tokenKind, text: z.string() })),
    inputs: z.array(
      z.strictObject({
        id: shortId,
        kind: z.enum(inputKinds),
        variable_id: idText.nullable(),
        constant_id: idText.nullable(),
        source_instrument_id: idText.nullable(),
        past_buffer_seconds: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'Calculation' });

/** A calculation as it is answered. */
export type CalculationJson = z.output<typeof calculationOutput>;

const inputExample = { constant_id: null, source_instrument_id: null, past_buffer_seconds: null };

/** A calculation as a client may write it, for the document. */
export const newCalculationExample = {
  start_time: '2026-01-01T00:00:00.000Z',
  expression: 'water_level * slope',
  editor_tokens: [{ kind: 'text' as const, text: 'water_level * slope' }],
  inputs: [
    { kind: 'self_variable' as const, variable_id: exampleIds.variable },
    { kind: 'constant' as const, constant_id: exampleIds.constant },
  ],
};

/** A calculation in answers, for the document. */
export const calculationExample: CalculationJson = {
  id: 'Vd2xKq0nT4yLw8bRz1mPs',
  ...newCalculationExample,
  inputs: [
    { id: 'a7Qm3Zt9Xc1Vb5Nn0Kl2J', kind: 'self_variable', ...inputExample, variable_id: exampleIds.variable },
    {
      id: 'b8Wn4Yu0Zd2Cx6Mm1Lk3H',
      kind: 'constant',
      ...inputExample,
      variable_id: null,
      constant_id: exampleIds.constant,
    },
  ],
};

// Words are passed on as the service has them: one that is newer than this gateway is no reason to fail.

/** A calculation of the service, for an answer. */
export function toCalculationJson(calculation: Calculation): CalculationJson {
  return {
    id: calculation.id,
    start_time: formatInstant(calculation.startTimeUs),
    expression: calculation.expression,
    editor_tokens: calculation.editorTokens as CalculationJson['editor_tokens'],
    inputs: calculation.inputs.map((input) => ({
      id: input.id,
      kind: input.kind as (typeof inputKinds)[number],
      variable_id: input.variableId ?? null,
      constant_id: input.constantId ?? null,
      source_instrument_id: input.sourceInstrumentId ?? null,
      past_buffer_seconds: input.pastBufferSeconds ?? null,
    })),
  };
}

/** A calculation that a client wrote, as the service takes it. */
export function fromCalculation(calculation: z.output<typeof calculationIn>): Calculation {
  return {
    id: calculation.id ?? '',
    startTimeUs: calculation.start_time,
    expression: calculation.expression,
    editorTokens: calculation.editor_tokens ?? [],
    inputs: (calculation.inputs ?? []).map((input) => ({
      id: input.id ?? '',
      kind: input.kind,
      variableId: input.variable_id ?? undefined,
      constantId: input.constant_id ?? undefined,
      sourceInstrumentId: input.source_instrument_id ?? undefined,
      pastBufferSeconds: input.past_buffer_seconds ?? undefined,
    })),
  };
}
