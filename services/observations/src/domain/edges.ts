import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { compilePiece, type Definition, type Input, isDriver, type Piece } from './definition.js';

/** Whether a reach ends at the input's next observation: not, before it, or with it. */
export type Stops = 'never' | 'before_next' | 'at_next';

/** Where a change of an observation of a series reaches the results of what reads it. */
export interface Edge {
  readonly inputKey: number;
  /** It holds for results in this half-open range. */
  readonly fromUs: number;
  readonly untilUs: number;
  readonly isCalculated: boolean;
  /** Whether the results have their instants from this series alone. */
  readonly isSoleDriver: boolean;
  /** How far it reaches past the instant: 0 that instant alone, undefined without end. */
  readonly reachUs: number | undefined;
  /** A reach that ends `at_next` begins after the instant. */
  readonly stops: Stops;
}

/** A way of reading, without its place in time. */
type Reach = Pick<Edge, 'reachUs' | 'stops'>;

function isAtLeast(reachUs: number | undefined, other: number | undefined): boolean {
  return reachUs === undefined || (other !== undefined && reachUs >= other);
}

/** How a piece reads one of its inputs. */
function reachesOf(input: Input, needs: { value: boolean; previous: boolean; windows: boolean }): Reach[] {
  // more than the whole of time that there is
  const bufferUs = (input.bufferUs ?? 0) > Number.MAX_SAFE_INTEGER ? undefined : input.bufferUs;
  const isAsOf = input.kind === 'instrument_variable' && input.bufferUs !== undefined;
  const reaches: Reach[] = [];
  if (needs.value && isAsOf) reaches.push({ reachUs: bufferUs, stops: 'before_next' });
  if ((needs.value && !isAsOf) || isDriver(input)) reaches.push({ reachUs: 0, stops: 'never' });
  if (needs.windows) reaches.push({ reachUs: bufferUs, stops: 'never' });
  if (needs.previous) reaches.push({ reachUs: bufferUs, stops: 'at_next' });
  return reaches;
}

/** Of several readings of one series the widest of each kind, without those that lie within another. */
function widest(reaches: readonly Reach[]): Reach[] {
  const byStops = new Map<Stops, Reach>();
  for (const reach of reaches) {
    const before = byStops.get(reach.stops);
    if (before === undefined || isAtLeast(reach.reachUs, before.reachUs)) byStops.set(reach.stops, reach);
  }
  const [never, beforeNext] = [byStops.get('never'), byStops.get('before_next')];
  if (never !== undefined && beforeNext !== undefined) {
    if (isAtLeast(never.reachUs, beforeNext.reachUs)) byStops.delete('before_next');
    else if (never.reachUs === 0) byStops.delete('never');
  }
  return [...byStops.values()];
}

/** How a piece reads series, by their keys. */
function readingsOf(piece: Piece): Map<number, { readonly isCalculated: boolean; readonly reaches: Reach[] }> {
  const compiled = compilePiece(piece);
  const readings = new Map<number, { readonly isCalculated: boolean; readonly reaches: Reach[] }>();
  piece.inputs.forEach((input, place) => {
    const needs = compiled?.needs[place];
    if (needs === undefined || input.kind === 'constant') return;
    const reading = readings.get(input.variableKey) ?? { isCalculated: input.isCalculated, reaches: [] };
    reading.reaches.push(...reachesOf(input, needs));
    readings.set(input.variableKey, reading);
  });
  return readings;
}

/**
 * The edges that lead to a calculated variable: one for each series, way of reading, and stretch of time in which they
 * are the same. A piece that cannot be computed has none.
 */
export function edgesOf({ pieces }: Definition): Edge[] {
  const edges: Edge[] = [];
  const open = new Map<string, number>();
  pieces.forEach((piece, number) => {
    const fromUs = Math.max(piece.startUs, observationInstantMinUs);
    const untilUs = Math.min(pieces[number + 1]?.startUs ?? observationInstantEndUs, observationInstantEndUs);
    if (fromUs >= untilUs) return;
    const isSoleDriver = new Set(piece.inputs.filter(isDriver).map(({ variableKey }) => variableKey)).size === 1;
    for (const [inputKey, { isCalculated, reaches }] of readingsOf(piece)) {
      const drives = isSoleDriver && piece.inputs.some((input) => isDriver(input) && input.variableKey === inputKey);
      for (const { reachUs, stops } of widest(reaches)) {
        const edge = { inputKey, fromUs, untilUs, isCalculated, isSoleDriver: drives, reachUs, stops };
        const sameAs = [inputKey, isCalculated, drives, reachUs, stops].join();
        const before = edges[open.get(sameAs) ?? -1];
        if (before?.untilUs === fromUs) edges[open.get(sameAs) as number] = { ...before, untilUs };
        else open.set(sameAs, edges.push(edge) - 1);
      }
    }
  });
  return edges;
}
