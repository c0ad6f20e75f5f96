import type { Cursors } from '../cursors/cursors.js';
import { type Operation, operation } from '../http/operation.js';
import { ingestedRunSchema, pointRunExample, toRunJson } from '../schemas/runs.js';
import {
  createdRule,
  ingestListQuery,
  type ListQuery,
  listed,
  listRequest,
  type Reader,
  type RunsClient,
  readIngestedRun,
  readPosition,
  runParameter,
  shortPages,
} from './run-queries.js';

interface IngestRunsDependencies {
  readonly ingestion: RunsClient;
  readonly cursors: Cursors;
}

async function listRuns({ ingestion, cursors }: IngestRunsDependencies, query: ListQuery, reader: Reader) {
  const { after, seal } = readPosition(cursors, query, reader);
  const { runs, nextAfter } = await ingestion.listRuns(listRequest(query, reader.scope, after), reader.call);
  return { items: runs.map(toRunJson), next_cursor: seal(nextAfter) };
}

/** The operations that show an ingestion connection its own runs. */
export function ingestRunsOperations(dependencies: IngestRunsDependencies): readonly Operation[] {
  return [
    operation({
      id: 'ingest_runs_list',
      method: 'GET',
      path: '/v1/ingest/runs',
      tag: 'Ingestion',
      summary: 'List runs of the connection',
      description: `The runs of the points and files that this connection has submitted, newest first. ${shortPages}`,
      auth: 'ingestion',
      params: {},
      query: ingestListQuery,
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
      success: { status: 200, schema: ingestedRunSchema, example: pointRunExample },
      errors: ['not_found'],
      handle: async ({ params, principal, requestId, signal }) => {
        const { projectId, connectionId } = principal;
        const scope = { projectId, connectionId };
        const reader = { operationId: 'ingest_runs_read', scope, keyId: connectionId, call: { requestId, signal } };
        return await readIngestedRun(dependencies.ingestion, params.run_id, reader);
      },
    }),
  ];
}
