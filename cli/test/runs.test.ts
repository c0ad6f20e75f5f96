import { formatInstant } from '@weir/kit/time';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startedIngestion } from './started-ingestion.js';
import { startedVariables } from './started-variables.js';
import { weir, weirJson } from './weir.js';

interface PrintedRun {
  readonly run_id: string;
  readonly state: string;
  readonly created_at: string;
}
interface PrintedRuns {
  readonly items: readonly PrintedRun[];
  readonly has_more: boolean;
}

let ingestion: Awaited<ReturnType<typeof startedIngestion>>;
let variables: Awaited<ReturnType<typeof startedVariables>>;
let env: Record<string, string>;
let scope: { projectId: string; connectionId: string };
let runIds: string[];
let queuedIds: string[];
beforeAll(async () => {
  ingestion = await startedIngestion();
  variables = await startedVariables();
  env = { ...ingestion.env, ...variables.env };
  scope = ingestion.newScope();
  runIds = await ingestion.admit(scope, 3, [1, 2]);
  const other = { projectId: scope.projectId, connectionId: ingestion.newScope().connectionId };
  queuedIds = await ingestion.admit(other, 250, []);
});
afterAll(async () => {
  await ingestion[Symbol.asyncDispose]();
  await variables[Symbol.asyncDispose]();
});

const list = async (...args: string[]) => {
  const { items, has_more } = await weirJson<PrintedRuns>(['runs', 'list', ...args], env);
  return { ids: items.map((run) => run.run_id), items, has_more };
};
const reversed = (ids: readonly string[]) => ids.toReversed();

describe('weir runs list', () => {
  test('is newest first, over pages', async () => {
    const all = await list('--project', scope.projectId, '--limit', '1000');
    expect(all.ids).toEqual([...reversed(queuedIds), ...reversed(runIds)]);
    expect(all.has_more).toBe(false);
    const some = await list('--limit', '230');
    expect(some.ids).toEqual(all.ids.slice(0, 230));
    expect(some.has_more).toBe(true);
  });

  test('is filtered by project, connection, state and time', async () => {
    expect((await list('--project', ingestion.newScope().projectId)).ids).toEqual([]);
    expect((await list('--connection', scope.connectionId)).ids).toEqual(reversed(runIds));
    expect((await list('--state', 'failed')).ids).toEqual([runIds[2], runIds[1]]);
    expect((await list('--state', 'queued', '--connection', scope.connectionId)).ids).toEqual([]);
    const all = await list('--limit', '1000');
    const createdAt = all.items.at(-1)?.created_at ?? '';
    expect((await list('--created-after', createdAt, '--limit', '1000')).ids).toEqual(all.ids);
    expect((await list('--created-before', createdAt)).ids).toEqual([]);
    expect((await list('--created-after', formatInstant((Date.now() + 60_000) * 1000))).ids).toEqual([]);
  });

  test('is a line a run in a pipe', async () => {
    const { stdout } = await weir(['runs', 'list', '--state', 'failed'], env);
    const [first] = stdout.split('\n');
    expect(first?.split('\t').slice(0, 5)).toEqual([runIds[2], 'failed', 'instrument_archived', '1', 'ingestion']);
  });
});

describe('weir runs show', () => {
  test('shows the point and what became of it', async () => {
    const run = await weirJson(['runs', 'show', runIds[1] ?? ''], env);
    expect(run).toMatchObject({
      run_id: runIds[1],
      project_id: scope.projectId,
      connection_id: scope.connectionId,
      state: 'failed',
      error: { code: 'instrument_archived' },
      instrument_name: 'Alder Weir',
      instrument_timestamp: '2023-11-14T22:13:20.000001Z',
      variables: [{ name: 'Stage', variable_id: null, outcome: 'failed' }],
    });
    const { stdout } = await weir(['runs', 'show', runIds[1] ?? ''], env);
    expect(stdout).toMatch(/^variable Stage\tfailed/m);
  });

  test('of a run that is not there is 1', async () => {
    const { code, stderr } = await weir(['runs', 'show', 'nowhere'], env);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'weir: There is no such run.\n' });
  });
});

describe('weir runs retry', () => {
  test('queues failed runs again, and no others', async () => {
    const refused = await weir(['runs', 'retry', runIds[0] ?? '', runIds[1] ?? ''], env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Only runs that failed or succeeded partially can be retried.');
    const { items } = await weirJson<PrintedRuns>(['runs', 'retry', ...runIds.slice(1)], env);
    expect(items.map((run) => [run.run_id, run.state])).toEqual(runIds.slice(1).map((id) => [id, 'queued']));
    expect((await list('--state', 'failed')).ids).toEqual([]);
  });
});
