import { type CompiledExpression, check, compile } from '@weir/expression';
import { z } from 'zod';

const step = z.object({ startTimeUs: z.number(), value: z.number() });

const input = z.object({
  id: z.string(),
  kind: z.enum(['self_variable', 'instrument_variable', 'constant']),
  alias: z.string(),
  /** of a variable: its series */
  variableKey: z.number(),
  /** whether that is itself calculated */
  isCalculated: z.boolean(),
  /** of its past_buffer_seconds */
  bufferUs: z.number().optional(),
  /** of a constant: ascending by start */
  steps: z.array(step),
});

const piece = z.object({ startUs: z.number(), expression: z.string(), inputs: z.array(input) });

/** How a calculated variable is computed, as it is stored: JSON of this very form. */
export const definitionShape = z.object({
  valueType: z.enum(['decimal', 'integer', 'boolean']),
  /** ascending by start: each holds until the next one starts */
  pieces: z.array(piece),
});

/** How a calculated variable is computed. */
export type Definition = z.output<typeof definitionShape>;

/** How it is computed from an instant on. */
export type Piece = z.output<typeof piece>;

/** What a piece reads: a series or a constant. */
export type Input = z.output<typeof input>;

/**
 * Makes the expression of a piece ready to be evaluated; its needs are in the order of the piece's inputs. Undefined
 * where it cannot be: such a piece, saved by a release that understood or never checked it, gives no value.
 */
export function compilePiece({ expression, inputs }: Piece): CompiledExpression | undefined {
  const read = inputs.map((given) => ({
    id: given.id,
    kind: given.kind,
    alias: given.alias,
    isWindowed: given.bufferUs !== undefined,
  }));
  const { checked } = check(expression, read);
  return checked === undefined ? undefined : compile(checked);
}

/** Whether an observation of the input makes an instant of results. */
export function isDriver({ kind, bufferUs }: Input): boolean {
  return kind === 'self_variable' && bufferUs === undefined;
}
