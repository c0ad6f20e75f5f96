import type { CompiledExpression } from './compile.js';
import { windowFunctionOf } from './window-values.js';

/** How much an evaluation has to read. */
export interface Workload {
  readonly instants: number;
  /** for each input, how many observations its windows hold, over all instants together */
  readonly windowRows: readonly number[];
  /** for each input, how many observations its largest window holds */
  readonly windowRowsMax: readonly number[];
}

/** What an evaluation costs at most, in steps. */
export interface Cost {
  /** of every instant: each part of the expression is evaluated once at most */
  readonly perInstant: number;
  /** of every observation in a window, for each input, but for the sorts */
  readonly perWindowRow: readonly number[];
  /** for each input, how often its windows are sorted: each time `log2` of their length more for every observation */
  readonly sorts: readonly number[];
}

/** What an expression costs, known before it is evaluated. */
export function costOf({ parts, needs, windowReads }: CompiledExpression): Cost {
  const perWindowRow = needs.map(() => 0);
  const sorts = needs.map(() => 0);
  for (const { name, input } of windowReads) {
    const { passes, sorts: isSorting } = windowFunctionOf(name);
    perWindowRow[input] = (perWindowRow[input] as number) + passes;
    if (isSorting) sorts[input] = (sorts[input] as number) + 1;
  }
  return { perInstant: parts, perWindowRow, sorts };
}

/** The steps of one evaluation, at most. */
export function stepsOf({ perInstant, perWindowRow, sorts }: Cost, workload: Workload): number {
  let steps = perInstant * workload.instants;
  for (const [input, perRow] of perWindowRow.entries()) {
    const depth = Math.ceil(Math.log2(Math.max(workload.windowRowsMax[input] ?? 0, 1)));
    steps += (workload.windowRows[input] ?? 0) * (perRow + (sorts[input] as number) * depth);
  }
  return steps;
}
