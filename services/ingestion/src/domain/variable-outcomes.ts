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

/** The variable of a channel; undefined where the sixteen bytes are absent or all zero. */
function variableIdOf(variableIds: Uint8Array | undefined, channel: number): string | undefined {
  const bytes = variableIds?.subarray(channel * idLength, (channel + 1) * idLength);
  return bytes?.length === idLength && bytes.some((byte) => byte !== 0) ? idFromBytes(bytes) : undefined;
}

/**
 * What became of the values of point `index`.
 *
 * @param run - state and error of the run; a failed one stored nothing, whatever `deviations` leave out
 * @param variableIds - by channel, 16 bytes each
 * @param deviations - the variables that were not stored
 */
export function variableOutcomes(
  points: Points,
  index: number,
  run: { readonly state: RunState; readonly error?: RunError | undefined },
  variableIds: Uint8Array | undefined,
  deviations: readonly VariableDeviation[],
): VariableOutcome[] {
  const start = points.valueStarts[index] as number;
  const end = points.valueStarts[index + 1] as number;
  return Array.from(points.valueChannels.subarray(start, end), (channel, position) => {
    const named = {
      name: points.channels[channel]?.variableName ?? '',
      variableId: variableIdOf(variableIds, channel),
    };
    if (run.state === 'queued') return { ...named, outcome: 'queued' };
    const deviation = deviations.find((found) => found.position === position);
    if (deviation !== undefined) return { ...named, outcome: deviation.outcome, error: deviation.error };
    return run.state === 'failed' ? { ...named, outcome: 'failed', error: run.error } : { ...named, outcome: 'stored' };
  });
}

/** Variable ids of a batch after part of it was processed again: the newer ones, where they say anything. */
export function mergeVariableIds(older: Uint8Array | undefined, newer: Uint8Array): Buffer {
  const merged = Buffer.alloc(Math.max(older?.length ?? 0, newer.length));
  for (let at = 0; at < merged.length; at += idLength) {
    const bytes = newer.subarray(at, at + idLength);
    merged.set(bytes.some((byte) => byte !== 0) ? bytes : (older?.subarray(at, at + idLength) ?? bytes), at);
  }
  return merged;
}
