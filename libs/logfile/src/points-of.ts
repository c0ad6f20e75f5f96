import type { LogfilePoint, PointColumns } from './logfile.js';

/** The points of a batch one by one, for where speed matters less than shape. */
export function* pointsOf(points: PointColumns): Generator<LogfilePoint> {
  for (let at = 0; at < points.count; at++) {
    const variables: { name: string; value: number }[] = [];
    const end = points.valueStarts[at + 1] as number;
    for (let value = points.valueStarts[at] as number; value < end; value++) {
      variables.push({
        name: points.variableNames[points.variables[value] as number] as string,
        value: points.values[value] as number,
      });
    }
    yield {
      line: points.lines[at] as number,
      atUs: points.atUs[at] as number,
      instrumentName: points.instrumentNames[points.instruments[at] as number] as string,
      variables,
    };
  }
}
