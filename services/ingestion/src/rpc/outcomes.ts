import type { ErrorDetail } from '@weir/kit/errors';
import { toRunStateWord } from '@weir/kit/run-states';
import type { BatchOutcome, RunDeviation } from '@weir/proto/ingestion';
import { saidPublicId } from '../domain/batch-name.js';
import type { VariableDeviation } from '../domain/run.js';
import type { Outcome, OutcomeDeviation } from '../domain/settle-batch.js';
import { invalidRequest } from './messages.js';

function isOutcome(text: string): text is VariableDeviation['outcome'] {
  return text === 'superseded' || text === 'failed';
}

/**
 * The outcomes of a message.
 *
 * @throws WeirError `invalid_request` with every fault
 */
export function fromOutcomes(batches: readonly BatchOutcome[]): Outcome[] {
  const details: ErrorDetail[] = [];
  const fault = (path: string, message: string): void => void details.push({ path, code: 'invalid', message });

  const fromDeviation = (path: string, { index, state, error, variables }: RunDeviation): OutcomeDeviation => {
    const end = toRunStateWord(state);
    const isFinal = end !== undefined && end !== 'queued' && end !== 'running';
    if (!isFinal) fault(`${path}/state`, 'must be a final state');
    if (end === 'failed' && error === undefined) fault(`${path}/error`, 'is required for a run that failed');
    return {
      index,
      state: isFinal ? end : 'failed',
      error,
      variables: variables.map((variable, number) => {
        const { position, outcome } = variable;
        const isRight = isOutcome(outcome);
        if (!isRight) fault(`${path}/variables/${number}/outcome`, 'must be superseded or failed');
        return { position, outcome: isRight ? outcome : 'failed', error: variable.error };
      }),
    };
  };

  const outcomes = batches.map((batch, number): Outcome => {
    const path = `/batches/${number}`;
    const { id, indexes, variableIds, epoch } = batch;
    const deviations = batch.deviations.map((deviation, at) => fromDeviation(`${path}/deviations/${at}`, deviation));
    const deviating = new Set(deviations.map(({ index }) => index));
    if (deviating.size < deviations.length) fault(`${path}/deviations`, 'must name a run once');
    const asked = new Set(indexes);
    if (asked.size > 0 && deviations.some(({ index }) => !asked.has(index)))
      fault(`${path}/deviations`, 'must be among the indexes that were processed');
    if ([...indexes, ...deviating].some((index) => index < 0 || index > 1023))
      fault(path, 'must have indexes from 0 to 1023');
    if (variableIds.length % 16 !== 0) fault(`${path}/variable_ids`, 'must be 16 bytes a channel');
    return { batchId: id, publicId: saidPublicId(batch.publicId), indexes, variableIds, deviations, epoch };
  });
  if (details.length > 0) throw invalidRequest(details);
  return outcomes;
}
