import type { Deviation, RunError, RunState, VariableDeviation } from './run.js';

/** How a run is told to have ended. */
interface End {
  readonly state: RunState;
  readonly error?: RunError | undefined;
  readonly variables: readonly VariableDeviation[];
}

/** The positions of the values of a run that are tried, where the others are stored already; none means all. */
export function triedPositions({ variables }: Pick<Deviation, 'variables'>): number[] {
  return variables.filter(({ outcome }) => outcome === 'failed').map(({ position }) => position);
}

/** Which values of queued runs are tried, as the stream carries it. */
export function toTried(indexes: readonly number[], deviations: ReadonlyMap<number, Deviation>) {
  return indexes.flatMap((index) => {
    const deviation = deviations.get(index);
    const positions = deviation === undefined ? [] : triedPositions(deviation);
    return positions.length === 0 ? [] : [{ index, positions }];
  });
}

/**
 * How a run ended that had succeeded partially before it was queued again: what was stored then is stored, whatever became of
 * the rest now.
 */
export function mergeEnd(before: Pick<Deviation, 'variables'> | undefined, end: End): End {
  const tried = new Set(before === undefined ? [] : triedPositions(before));
  if (before === undefined || tried.size === 0) return end;
  const isOfAll = end.state === 'failed' && end.variables.length === 0;
  const now = isOfAll
    ? [...tried].map((position): VariableDeviation => ({ position, outcome: 'failed', error: end.error }))
    : end.variables.filter(({ position }) => tried.has(position));
  const variables = [...before.variables.filter(({ outcome }) => outcome === 'superseded'), ...now].sort(
    (a, b) => a.position - b.position,
  );
  const isLeft = variables.some(({ outcome }) => outcome === 'failed');
  return { state: isLeft ? 'partially_succeeded' : 'succeeded', variables };
}
