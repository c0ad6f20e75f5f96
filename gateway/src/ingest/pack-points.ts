import type { PointColumns } from '@weir/logfile';
import { Channels, packColumns } from '@weir/points';

/** The packed form of points of a file from the one at `first` on, in memory of its own; all are of one site when one is given. */
export function packPoints(points: PointColumns, first: number, siteId: string | undefined): Buffer<ArrayBuffer> {
  const { count, atUs, instruments, valueStarts, variables, values, instrumentNames, variableNames } = points;
  const [begin, end] = [valueStarts[first] as number, valueStarts[count] as number];
  const channels = new Channels();
  const numbers = new Map<number, number>();
  const valueChannels = room(end - begin);
  for (let point = first; point < count; point++) {
    const instrument = instruments[point] as number;
    const pointEnd = valueStarts[point + 1] as number;
    for (let value = valueStarts[point] as number; value < pointEnd; value++) {
      const variable = variables[value] as number;
      const names = instrument * variableNames.length + variable;
      let channel = numbers.get(names);
      if (channel === undefined) {
        channel = channels.add(siteId, instrumentNames[instrument] as string, variableNames[variable] as string);
        numbers.set(names, channel);
      }
      valueChannels[value - begin] = channel;
    }
  }
  const instants = atUs.subarray(first, count);
  const starts = valueStarts.subarray(first, count + 1);
  const { buffer } = packColumns({ instants, starts, valueChannels, values: values.subarray(begin, end), channels });
  return Buffer.from(buffer);
}

let kept = new Uint32Array(0);

/** Room for numbers of channels, the same for every call: packing ends before the next begins. */
function room(values: number): Uint32Array {
  if (kept.length < values) kept = new Uint32Array(values);
  return kept.subarray(0, values);
}
