import { type CompiledExpression, type Cost, compileInvalid, costOf, type InputNeeds } from '@weir/expression';
import { compilePiece, type Definition, type Input, isDriver } from './definition.js';

/** A series that a piece reads. */
export interface SeriesInput {
  /** among the inputs of the piece */
  readonly place: number;
  readonly variableKey: number;
  readonly kind: 'self_variable' | 'instrument_variable';
  readonly bufferUs: number | undefined;
  readonly needs: InputNeeds;
}

/** A piece that is ready to be evaluated. */
export interface ReadyPiece {
  /** It holds from here … */
  readonly startUs: number;
  /** … to before here. */
  readonly endUs: number;
  readonly expression: CompiledExpression;
  readonly cost: Cost;
  readonly series: readonly SeriesInput[];
  readonly constants: readonly { readonly place: number; readonly steps: Input['steps'] }[];
  /** The series whose observations make the instants of results, each once. */
  readonly driverKeys: readonly number[];
}

/** A calculated variable that is ready to be evaluated. Where no piece holds there are no results. */
export interface Calculation {
  readonly valueType: Definition['valueType'];
  readonly pieces: readonly ReadyPiece[];
  /** The expressions that cannot be evaluated. */
  readonly invalid: readonly string[];
}

/** Makes a definition ready to be evaluated. A piece that cannot be has no values, and says why at each instant. */
export function toCalculation({ valueType, pieces }: Definition): Calculation {
  const invalid: string[] = [];
  const ready = pieces.map((piece, at): ReadyPiece => {
    const { inputs } = piece;
    const compiled = compilePiece(piece);
    if (compiled === undefined) invalid.push(piece.expression);
    const expression = compiled ?? compileInvalid(inputs.length);
    return {
      startUs: piece.startUs,
      endUs: pieces[at + 1]?.startUs ?? Number.POSITIVE_INFINITY,
      expression,
      cost: costOf(expression),
      series: inputs.flatMap(({ kind, variableKey, bufferUs }, place) => {
        const needs = expression.needs[place];
        const isRead = needs !== undefined && (needs.value || needs.previous || needs.windows);
        return kind === 'constant' || !isRead ? [] : [{ place, variableKey, kind, bufferUs, needs }];
      }),
      constants: inputs.flatMap(({ kind, steps }, place) => (kind === 'constant' ? [{ place, steps }] : [])),
      driverKeys: [...new Set(inputs.filter(isDriver).map(({ variableKey }) => variableKey))],
    };
  });
  return { valueType, pieces: ready, invalid };
}
