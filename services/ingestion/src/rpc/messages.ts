import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { idTimeUs, isId } from '@weir/kit/ids';
import { runStateNumbers } from '@weir/kit/run-states';
import type { Run, RunScope } from '@weir/proto/ingestion';
import type { RunStanding } from '../domain/run.js';
import type { Scope } from '../domain/scope.js';

/** The error for requests with faults. */
export function invalidRequest(details: readonly ErrorDetail[]): WeirError {
  return new WeirError('invalid_request', 'The request is not as documented; the details name each fault.', {
    details,
  });
}

/** @throws WeirError `invalid_request` when an id is not a UUID */
export function fromScope(message: RunScope | undefined): Scope {
  const { projectId, connectionId } = message ?? { projectId: '', connectionId: '' };
  const details = Object.entries({ project_id: projectId, connection_id: connectionId })
    .filter(([, id]) => id !== '' && !isId(id))
    .map(([name]) => ({ path: `/scope/${name}`, code: 'invalid', message: 'must be a UUID' }));
  if (details.length > 0) throw invalidRequest(details);
  return { projectId, connectionId };
}

/** A run without its point, as lists have it. */
export function toRun(runId: string, owner: Scope, standing: RunStanding): Run {
  return {
    runId,
    projectId: owner.projectId,
    connectionId: owner.connectionId,
    kind: 'ingestion',
    state: runStateNumbers[standing.state],
    error: standing.error,
    attempts: standing.attempts,
    createdAtUs: idTimeUs(runId),
    finishedAtUs: standing.finishedAtUs,
    variables: [],
    instrumentName: '',
    instrumentTimestampUs: 0,
    fileRunId: '',
  };
}
