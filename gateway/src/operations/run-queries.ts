/** What lists and reads of runs have in common, whoever asks. */
import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import { runStateNumbers, runStateWords } from '@weir/kit/run-states';
import { type ListRunsRequest, type RunScope, RunState } from '@weir/proto/ingestion';
import type { Clients } from '../clients/clients.js';
import type { CursorBinding, Cursors } from '../cursors/cursors.js';
import type { ValuesOf } from '../http/operation.js';
import { cursor, id, instant, integer, oneOf, optional, required, withDefault } from '../http/parameters.js';
import { pageOf } from '../schemas/answers.js';
import { toFileRunJson } from '../schemas/file-runs.js';
import { clampBound, rangeRule } from '../schemas/ranges.js';
import { runExample, runSchema, toPointRunJson } from '../schemas/runs.js';

/** The client of the service that has the runs of points. */
export type RunsClient = Pick<Clients['ingestion'], 'listRuns' | 'getRun'>;

const kindDescription = 'Only runs of this kind.';

/** The query of a list of runs; which kinds there are to filter by differs. */
const commonQuery = {
  state: optional(oneOf(...runStateWords), 'Only runs in this state.'),
  created_after: optional(instant, 'Only runs created at this instant or later.'),
  created_before: optional(instant, 'Only runs created before this instant.'),
  limit: withDefault(integer(1, 100), 50, 'Runs a page, at most.'),
  cursor: optional(cursor, '`next_cursor` of the page before; all else must be as it was then.'),
};

/** The query of the list that a device may ask for. */
export const ingestListQuery = {
  kind: optional(oneOf('ingestion', 'file'), kindDescription),
  ...commonQuery,
};

/** The query of the list of the Developer API. */
export const listQuery = {
  kind: optional(oneOf('ingestion', 'file', 'recalculation'), kindDescription),
  ...commonQuery,
};

/** That the range of `created_after` and `created_before` is not empty. */
export const createdRule = rangeRule('created_after', 'created_before');

/** The query of a list of runs, read. */
export type ListQuery = ValuesOf<typeof listQuery>;

/** The run that a path names. */
export const runParameter = required(id, 'Id of the run.', runExample.run_id);

/** What the document says of pages of filtered lists. */
export const shortPages = 'With a filter a page may be short, even empty, and still have a next one.';

/** What lists of runs answer. */
export const listed = {
  status: 200,
  schema: pageOf(runSchema),
  example: { items: [runExample], next_cursor: null },
} as const;

/** Whose runs are read, and with which key. */
export interface Reader {
  readonly operationId: string;
  readonly scope: RunScope;
  readonly keyId: string;
  readonly call: RpcOptions;
}

/** When the runs of a list were created, within what the services can take. */
export function createdRange({ created_after: after, created_before: before }: ListQuery) {
  return { createdAfterUs: clampBound(after), createdBeforeUs: clampBound(before) };
}

/** Where a list of runs begins, and what its cursors are bound to. */
export function readPosition(cursors: Cursors, query: ListQuery, { operationId, scope, keyId }: Reader) {
  const binding: CursorBinding = {
    operation: operationId,
    projectId: scope.projectId,
    keyId,
    filters: { kind: query.kind, state: query.state, ...createdRange(query) },
  };
  return {
    after: query.cursor === undefined ? '' : cursors.open(query.cursor, binding),
    seal: (nextAfter: string) => (nextAfter === '' ? null : cursors.seal(nextAfter, binding)),
  };
}

/** What the ingestion service is asked for a list. */
export function listRequest(query: ListQuery, scope: RunScope, after: string): ListRunsRequest {
  const { kind = '', state, limit } = query;
  const stateNumber = state === undefined ? RunState.UNSPECIFIED : runStateNumbers[state];
  return { scope, kind, state: stateNumber, ...createdRange(query), limit, after };
}

/** The id of a run. @throws WeirError `not_found` when it is no UUID */
export function readRunId(given: string): string {
  if (!isId(given)) throw notFound('run');
  return given;
}

/** The run of a point or a file. @throws WeirError `not_found` */
export async function readIngestedRun(ingestion: RunsClient, givenId: string, { scope, call }: Reader) {
  const { run } = await ingestion.getRun({ scope, runId: readRunId(givenId) }, call);
  if (run === undefined) throw notFound('run');
  return run.file === undefined ? toPointRunJson(run) : toFileRunJson(run, run.file);
}
