import type { CalculatedSeries, PieceInput } from '@weir/proto/variables';
import { type Definition, definitionShape } from '../domain/definition.js';

/** Buffers are whole microseconds, as instants are, and never none. */
function toBufferUs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(Math.round(seconds * 1_000_000), 1);
}

function toInput({ pastBufferSeconds, ...input }: PieceInput): object {
  return { ...input, bufferUs: toBufferUs(pastBufferSeconds) };
}

/**
 * The definition of a calculated variable from a message of the variables service.
 *
 * @throws ZodError when it is of a kind that this release does not know
 */
export function toDefinition({ valueType, pieces }: CalculatedSeries): Definition {
  return definitionShape.parse({
    valueType,
    pieces: pieces.map(({ startUs, expression, inputs }) => ({ startUs, expression, inputs: inputs.map(toInput) })),
  });
}
