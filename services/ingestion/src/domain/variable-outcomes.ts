import { idFromBytes } from '@weir/kit/ids';
import type { Points } from '@weir/points';
import type { RunError, RunState, VariableDeviation } from './run.js';

/** What became of one value of a point. */
export interface VariableOutcome {
  readonly name: string;
  readonly variableId?: string | undefined;
  readonly outcome: 'queued' | 'stored' | 'superseded' | 'failed';
  readonly error?: RunError | undefined;
}

const idLength = 16;

/**
 * The variables of the values of point `index`, by position; empty where there is none.
 *
 * @param variableIds - by channel, 16 bytes each; absent or all zero where there is none
 */
export function variableIdsAt(points: Points, index: number, variableIds: Uint8Array | undefined): string[] {
  const channels = points.valueChannels.subarray(points.valueStarts[index], points.valueStarts[index + 1]);
  return Array.from(channels, (channel) => {
    const bytes = variableIds?.subarray(channel * idLength, (channel + 1) * idLength);
    return bytes?.length === idLength && bytes.some((byte) => byte !== 0) ? idFromBytes(bytes) : '';
  });
}

/**
 * What became of the values of point `index`.
 *
 * @param run - state and error of the run; a failed one stored nothing, whatever `deviations` leave out
 * @param variableIds - by position, empty where there is none
 * @param deviations - the variables that were not stored
 */
export function variableOutcomes(
  points: Points,
  index: number,
  run: { readonly state: RunState; readonly error?: RunError | undefined },
  variableIds: readonly string[],
  deviations: readonly VariableDeviation[],
): VariableOutcome[] {
  const start = points.valueStarts[index] as number;
  const end = points.valueStarts[index + 1] as number;
  return Array.from(points.valueChannels.subarray(start, end), (channel, position) => {
    const named = {
      name: points.channels[channel]?.variableName ?? '',
      variableId: variableIds[position] || undefined,
    };
    if (run.state === 'queued') return { ...named, outcome: 'queued' };
    const deviation = deviations.find((found) => found.position === position);
    if (deviation !== undefined) return { ...named, outcome: deviation.outcome, error: deviation.error };
    return run.state === 'failed' ? { ...named, outcome: 'failed', error: run.error } : { ...named, outcome: 'stored' };
  });
}
