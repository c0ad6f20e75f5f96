import { notFound, WeirError } from '@weir/kit/errors';
import type { Clients } from '../clients/clients.js';
import type { Cursors } from '../cursors/cursors.js';
import { type Operation, operation } from '../http/operation.js';
import { id, required } from '../http/parameters.js';
import { pageOf } from '../schemas/answers.js';
import {
  anyRunSchema,
  recalculationExample,
  runDetailSchema,
  toRecalculationJson,
} from '../schemas/recalculation-runs.js';
import { pointRunExample, runExample } from '../schemas/runs.js';
import { mergeRuns } from './merged-runs.js';
import {
  createdRange,
  createdRule,
  type ListQuery,
  listQuery,
  listRequest,
  type Reader,
  type RunsClient,
  readIngestedRun,
  readPosition,
  readRunId,
  runParameter,
  shortPages,
} from './run-queries.js';

interface RunsDependencies {
  readonly ingestion: RunsClient;
  readonly variables: Pick<Clients['variables'], 'listRecalculations' | 'getRecalculation'>;
  readonly cursors: Cursors;
}

const projectParameter = required(id, 'Id of the project that the key belongs to.');

/** Recalculations after a position; one more is asked for than the page has, to tell whether it goes on. */
async function listRecalculations(
  variables: RunsDependencies['variables'],
  query: ListQuery,
  after: string,
  { scope, call }: Reader,
) {
  const { state = '', limit } = query;
  const request = { projectId: scope.projectId, state, ...createdRange(query), limit: limit + 1, after };
  const { recalculations } = await variables.listRecalculations(request, call);
  const runs = recalculations.slice(0, limit);
  return { runs, nextAfter: recalculations.length > limit ? (runs.at(-1)?.runId ?? '') : '' };
}

const none = { runs: [], nextAfter: '' };

async function listRuns(dependencies: RunsDependencies, query: ListQuery, reader: Reader) {
  const { ingestion, variables, cursors } = dependencies;
  const { after, seal } = readPosition(cursors, query, reader);
  const { kind } = query;
  const [ingested, recalculations] = await Promise.all([
    kind === 'recalculation' ? none : ingestion.listRuns(listRequest(query, reader.scope, after), reader.call),
    kind === 'ingestion' || kind === 'file' ? none : listRecalculations(variables, query, after, reader),
  ]);
  const { items, nextAfter } = mergeRuns(ingested, recalculations, query.limit);
  return { items, next_cursor: seal(nextAfter) };
}

async function readRecalculation({ variables }: RunsDependencies, givenId: string, { scope, call }: Reader) {
  const request = { projectId: scope.projectId, runId: readRunId(givenId) };
  const { recalculation } = await variables.getRecalculation(request, call);
  if (recalculation === undefined) throw notFound('run');
  return toRecalculationJson(recalculation);
}

async function readRun(dependencies: RunsDependencies, givenId: string, reader: Reader) {
  try {
    return await readIngestedRun(dependencies.ingestion, givenId, reader);
  } catch (error) {
    if (error instanceof WeirError && error.code === 'not_found')
      return await readRecalculation(dependencies, givenId, reader);
    throw error;
  }
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
      success: {
        status: 200,
        schema: pageOf(anyRunSchema),
        example: { items: [recalculationExample, runExample], next_cursor: null },
      },
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
      success: { status: 200, schema: runDetailSchema, example: pointRunExample },
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
