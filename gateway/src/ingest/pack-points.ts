import type { PointColumns } from '@weir/logfile';
import { PointsPacker } from '@weir/points';

/** The packed form of points of a file from the one at `first` on, in memory of its own; all are of one site when one is given. */
export function packPoints(points: PointColumns, first: number, siteId: string | undefined): Buffer<ArrayBuffer> {
  const { count, atUs, instruments, valueStarts, variables, values, instrumentNames, variableNames } = points;
  const packer = new PointsPacker();
  for (let point = first; point < count; point++) {
    packer.beginPoint(atUs[point] as number, siteId, instrumentNames[instruments[point] as number] as string);
    const end = valueStarts[point + 1] as number;
    for (let value = valueStarts[point] as number; value < end; value++) {
      packer.addValue(variableNames[variables[value] as number] as string, values[value] as number);
    }
  }
  const { buffer, byteOffset, byteLength } = packer.pack();
  return Buffer.from(buffer, byteOffset, byteLength);
}
