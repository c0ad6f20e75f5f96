import { z } from 'zod';
import { idText } from './answers.js';
import { exampleIds, type Shape } from './records.js';

/** A record after a write that can change values of calculated variables, and the run that recalculates them. */
export interface RecalculatingJson<R> {
  readonly resource: R;
  readonly recalculation_batch_run_id: string;
}

/** The run that such a write starts. */
export const recalculationRunId = idText.meta({
  description: 'The run that recalculates what the change affects; with nothing to do it has succeeded at once.',
});

/** What writes answer that start a recalculation. */
export function recalculating<R>({ schema, example }: Shape<R>): Shape<RecalculatingJson<R>> {
  return {
    schema: z.strictObject({ resource: schema, recalculation_batch_run_id: recalculationRunId }),
    example: { resource: example, recalculation_batch_run_id: exampleIds.run },
  };
}
