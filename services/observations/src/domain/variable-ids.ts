import { idBytes, idFromBytes } from '@weir/kit/ids';
import type { Resolution } from './resolution.js';

const idLength = 16;
const none = Buffer.alloc(idLength);

/** The ids of the variables that channels are stored under, 16 bytes each; zeros where a channel has none. */
export function toVariableIds(resolutions: readonly Resolution[]): Buffer {
  return Buffer.concat(resolutions.map((found) => (found.kind === 'series' ? idBytes(found.variableId) : none)));
}

/** The ids by channel, as `toVariableIds` has written them; undefined where a channel has none. */
export function fromVariableIds(variableIds: Buffer): (string | undefined)[] {
  return Array.from({ length: variableIds.length / idLength }, (_, place) => {
    const start = place * idLength;
    return none.equals(variableIds.subarray(start, start + idLength)) ? undefined : idFromBytes(variableIds, start);
  });
}
