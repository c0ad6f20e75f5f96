import { observationInstantEndUs } from '@weir/kit/time';
import { type Calculation, meaningSteps, readingSteps } from './calculation.js';
import type { DirtyVariable } from './recalculation.js';
import { commonRanges, coverRanges, differingRanges, type Step, stepsOf } from './steps.js';
import type { ValueType } from './variable.js';

/** A variable is recalculated in so many ranges at most; more are joined over the shortest gaps. */
const rangesMax = 1000;

const endUs = observationInstantEndUs;

/** What decides the values of a calculated variable, beside those of what it reads. */
export interface Computation {
  readonly valueType: ValueType;
  /** In ascending order of start. */
  readonly calculations: readonly Calculation[];
}

/** Nothing is computed: how it was before the variable was active. */
export const noComputation: Computation = { valueType: 'decimal', calculations: [] };

function meaningOf({ valueType, calculations }: Computation): Step<string>[] {
  return meaningSteps(calculations).map((step) => ({ ...step, value: `${valueType} ${step.value}` }));
}

/** Where a variable's values may change when it is computed differently: wherever another piece applies. */
export function dirtyByComputation(variableId: string, before: Computation, after: Computation): DirtyVariable {
  const ranges = differingRanges(meaningOf(before), meaningOf(after), endUs);
  return { variableId, ranges: coverRanges(ranges, rangesMax) };
}

/**
 * Where values of a constant's readers may change with its values: wherever these differ and the piece
 * that applies reads them. What reads those readers in turn is found when their values change.
 */
export function dirtyByConstant(
  constantId: string,
  before: readonly Step<number>[],
  after: readonly Step<number>[],
  readers: readonly { readonly variableId: string; readonly calculations: readonly Calculation[] }[],
): DirtyVariable[] {
  const changed = stepsOf(differingRanges(before, after, endUs));
  return readers.map(({ variableId, calculations }) => {
    const ranges = commonRanges(changed, readingSteps(calculations, constantId), endUs);
    return { variableId, ranges: coverRanges(ranges, rangesMax) };
  });
}
