import { evaluatePlainly, type ReferenceInput } from '../../libs/expression/test/reference.js';
import type { Computation, Entry, FinalState, Piece } from './final-state.js';

/** What a calculated variable should have. */
export interface Expected {
  readonly entries: readonly Entry[];
  /** Instants without a value, and why. */
  readonly missing: readonly (readonly [atUs: number, reason: string])[];
}

/** A calculated value as a type of values stores it. */
export function asStored(value: number, valueType: Computation['valueType']): number {
  if (valueType === 'decimal') return value + 0;
  if (valueType === 'boolean') return value === 0 ? 0 : 1;
  const size = Math.abs(value);
  const whole = Math.floor(size);
  return (value < 0 ? -1 : 1) * (size - whole >= 0.5 ? whole + 1 : whole) + 0;
}

function pieceAt(pieces: readonly Piece[], atUs: number): Piece | undefined {
  return pieces.filter(({ startUs }) => startUs <= atUs).sort((a, b) => b.startUs - a.startUs)[0];
}

function expectedOf(
  { valueType, pieces }: Computation,
  series: ReadonlyMap<string, readonly Entry[]>,
  { aliases, constants }: FinalState,
): Expected {
  const drivers = ({ inputs }: Piece): string[] =>
    inputs.filter(({ kind, bufferS }) => kind === 'self_variable' && bufferS === undefined).map((input) => input.of);
  const instantsOf = new Map([...series].map(([key, entries]) => [key, new Set(entries.map(([atUs]) => atUs))]));
  const inputsOf = new Map<Piece, ReferenceInput[]>();
  for (const piece of pieces) {
    const inputs = piece.inputs.map(({ id, kind, of, bufferS }) => ({
      id,
      kind,
      alias: aliases.get(of) ?? '',
      isWindowed: bufferS !== undefined,
      bufferUs: bufferS === undefined ? undefined : Math.round(bufferS * 1e6),
      entries: (kind === 'constant' ? constants : series).get(of) ?? [],
    }));
    inputsOf.set(piece, inputs);
  }
  const entries: Entry[] = [];
  const missing: [number, string][] = [];
  const instants = new Set(pieces.flatMap(drivers).flatMap((key) => [...(instantsOf.get(key) ?? [])]));
  for (const atUs of [...instants].sort((a, b) => a - b)) {
    const piece = pieceAt(pieces, atUs);
    if (piece === undefined || !drivers(piece).some((key) => instantsOf.get(key)?.has(atUs))) continue;
    const outcome = evaluatePlainly(piece.expression, inputsOf.get(piece) ?? [], atUs);
    if (typeof outcome === 'string') missing.push([atUs, outcome]);
    else entries.push([atUs, asStored(outcome, valueType)]);
  }
  return { entries, missing };
}

/**
 * What every calculated variable should have, as plainly as it can be said: everything is computed anew, one
 * instant after another, by looking through all that there is.
 */
export function expectedResults(state: FinalState): Map<string, Expected> {
  const series = new Map(state.observations);
  const results = new Map<string, Expected>();
  for (const [key, computation] of state.calculated) {
    const expected = expectedOf(computation, series, state);
    results.set(key, expected);
    series.set(key, expected.entries);
  }
  return results;
}
