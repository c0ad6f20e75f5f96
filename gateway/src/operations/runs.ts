import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import { type ListRunsRequest, type RunScope, RunState } from '@weir/proto/ingestion';
import type { Clients } from '../clients/clients.js';
import type { Cursors } from '../cursors/cursors.js';
import { type Operation, operation, type ValuesOf } from '../http/operation.js';
import { cursor, id, instant, integer, oneOf, optional, required, withDefault } from '../http/parameters.js';
import { runStates } from '../ingest/admission-json.js';
import { pageOf } from '../schemas/answers.js';
import { clampBound, rangeRule } from '../schemas/ranges.js';
import {
  runDetailExample,
  runDetailSchema,
  runExample,
  runSchema,
  toRunDetailJson,
  toRunJson,
} from '../schemas/runs.js';

/** What the operations on runs use. */
export interface RunsDependencies {
  readonly ingestion: Pick<Clients['ingestion'], 'listRuns' | 'getRun'>;
  readonly cursors: Cursors;
}

const listQuery = {
  state: optional(oneOf(...runStates), 'Only runs in this state.'),
  created_after: optional(instant, 'Only runs created at this instant or later.'),
  created_before: optional(instant, 'Only runs created before this instant.'),
  limit: withDefault(integer(1, 100), 50, 'Runs a page, at most.'),
  cursor: optional(cursor, '`next_cursor` of the page before; all else must be as it was then.'),
};

const createdRule = rangeRule('created_after', 'created_before');

const runParameter = required(id, 'Id of the run.', runExample.run_id);
const projectParameter = required(id, 'Id of the project that the key belongs to.');

const stateNumbers: Readonly<Record<(typeof runStates)[number], RunState>> = {
  queued: RunState.QUEUED,
  running: RunState.RUNNING,
  succeeded: RunState.SUCCEEDED,
  partially_succeeded: RunState.PARTIALLY_SUCCEEDED,
  failed: RunState.FAILED,
};

/** Whose runs are read, and with which key. */
interface Reader {
  readonly operationId: string;
  readonly scope: RunScope;
  readonly keyId: string;
  readonly call: RpcOptions;
}

async function listRuns({ ingestion, cursors }: RunsDependencies, query: ValuesOf<typeof listQuery>, reader: Reader) {
  const { state, limit } = query;
  const createdAfterUs = clampBound(query.created_after);
  const createdBeforeUs = clampBound(query.created_before);
  const binding = {
    operation: reader.operationId,
    projectId: reader.scope.projectId,
    keyId: reader.keyId,
    filters: { state, created_after: createdAfterUs, created_before: createdBeforeUs },
  };
  const request: ListRunsRequest = {
    scope: reader.scope,
    state: state === undefined ? RunState.UNSPECIFIED : stateNumbers[state],
    createdAfterUs,
    createdBeforeUs,
    limit,
    after: query.cursor === undefined ? '' : cursors.open(query.cursor, binding),
  };
  const { runs, nextAfter } = await ingestion.listRuns(request, reader.call);
  return { items: runs.map(toRunJson), next_cursor: nextAfter === '' ? null : cursors.seal(nextAfter, binding) };
}

async function readRun({ ingestion }: RunsDependencies, givenId: string, reader: Reader) {
  const runId = givenId.toLowerCase();
  if (!isId(runId)) throw notFound('run');
  const { run } = await ingestion.getRun({ scope: reader.scope, runId }, reader.call);
  if (run === undefined) throw notFound('run');
  return toRunDetailJson(run);
}

const shortPages = 'With a filter a page may be short, even empty, and still have a next one.';

const listed = {
  status: 200,
  schema: pageOf(runSchema),
  example: { items: [runExample], next_cursor: null },
} as const;
const shown = { status: 200, schema: runDetailSchema, example: runDetailExample } as const;

/** The operations that show an ingestion connection its own runs. */
export function ingestRunsOperations(dependencies: RunsDependencies): readonly Operation[] {
  return [
    operation({
      id: 'ingest_runs_list',
      method: 'GET',
      path: '/v1/ingest/runs',
      tag: 'Ingestion',
      summary: 'List runs of the connection',
      description: `The runs of the points that this connection has submitted, newest first. ${shortPages}`,
      auth: 'ingestion',
      params: {},
      query: listQuery,
      queryRules: [createdRule],
      success: listed,
      errors: ['invalid_cursor'],
      handle: async ({ query, principal, requestId, signal }) => {
        const { projectId, connectionId } = principal;
        const scope = { projectId, connectionId };
        const reader = { operationId: 'ingest_runs_list', scope, keyId: connectionId, call: { requestId, signal } };
        return await listRuns(dependencies, query, reader);
      },
    }),
    operation({
      id: 'ingest_runs_read',
      method: 'GET',
      path: '/v1/ingest/runs/{run_id}',
      tag: 'Ingestion',
      summary: 'Read a run of the connection',
      auth: 'ingestion',
      params: { run_id: runParameter },
      query: {},
      success: shown,
      errors: ['not_found'],
      handle: async ({ params, principal, requestId, signal }) => {
        const { projectId, connectionId } = principal;
        const scope = { projectId, connectionId };
        const reader = { operationId: 'ingest_runs_read', scope, keyId: connectionId, call: { requestId, signal } };
        return await readRun(dependencies, params.run_id, reader);
      },
    }),
  ];
}

/** The operations that show all runs of a project. */
export function projectRunsOperations(dependencies: RunsDependencies): readonly Operation[] {
  return [
    operation({
      id: 'developerapi_runs_list',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/runs',
      tag: 'Runs',
      summary: 'List runs of the project',
      description: `The runs of all points, files and recalculations of the project, newest first. ${shortPages}`,
      auth: 'developer',
      permission: 'developer_api.runs.list',
      params: { project_id: projectParameter },
      query: listQuery,
      queryRules: [createdRule],
      success: listed,
      errors: ['invalid_cursor'],
      handle: async ({ query, principal, requestId, signal }) => {
        const { projectId, keyId } = principal;
        const scope = { projectId, connectionId: '' };
        const reader = { operationId: 'developerapi_runs_list', scope, keyId, call: { requestId, signal } };
        return await listRuns(dependencies, query, reader);
      },
    }),
    operation({
      id: 'developerapi_runs_read',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/runs/{run_id}',
      tag: 'Runs',
      summary: 'Read a run of the project',
      auth: 'developer',
      permission: 'developer_api.runs.read',
      params: { project_id: projectParameter, run_id: runParameter },
      query: {},
      success: shown,
      errors: ['not_found'],
      handle: async ({ params, principal, requestId, signal }) => {
        const { projectId, keyId } = principal;
        const scope = { projectId, connectionId: '' };
        const reader = { operationId: 'developerapi_runs_read', scope, keyId, call: { requestId, signal } };
        return await readRun(dependencies, params.run_id, reader);
      },
    }),
  ];
}
