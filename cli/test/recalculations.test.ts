import { newId } from '@weir/kit/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../src/run.js';
import { startedIngestion } from './started-ingestion.js';
import { startedVariables } from './started-variables.js';
import { weir, weirJson } from './weir.js';

interface PrintedRun {
  readonly run_id: string;
  readonly state: string;
  readonly kind: string;
}

let variables: Awaited<ReturnType<typeof startedVariables>>;
let ingestion: Awaited<ReturnType<typeof startedIngestion>>;
let env: Record<string, string>;
beforeAll(async () => {
  variables = await startedVariables();
  ingestion = await startedIngestion();
  env = { ...variables.env, ...ingestion.env };
});
afterAll(async () => {
  await variables[Symbol.asyncDispose]();
  await ingestion[Symbol.asyncDispose]();
});

const none = { rangesTotal: 1, rangesDone: 0, rangesSkipped: 0, instantsTotal: 0, instantsDone: 0, missing: {} };

const report = (projectId: string, runId: string, state: string, progress: object = {}, errorCode = '') =>
  variables.client.reportRecalculations({
    reports: [{ projectId, runId, state, errorCode, progress: { ...none, ...progress } }],
  });

test('runs list merges recalculations with the runs of points, newest first, whatever the filter', async () => {
  const scope = ingestion.newScope();
  const first = await variables.newCalculated();
  const points = await ingestion.admit(scope, 3, [1]);
  const last = await variables.newCalculated();
  const list = async (...args: string[]) => {
    const { items, has_more } = await weirJson<{ items: PrintedRun[]; has_more: boolean }>(
      ['runs', 'list', ...args],
      env,
    );
    return [...items.map((item) => item.run_id), has_more];
  };
  const newestFirst = [last.runId, ...points.toReversed(), first.runId];
  expect(await list()).toEqual([...newestFirst, false]);
  for (let limit = 1; limit < 5; limit++) {
    expect(await list('--limit', String(limit))).toEqual([...newestFirst.slice(0, limit), true]);
  }
  expect(await list('--kind', 'recalculation')).toEqual([last.runId, first.runId, false]);
  expect(await list('--kind', 'ingestion')).toEqual([...points.toReversed(), false]);
  expect(await list('--project', first.projectId)).toEqual([first.runId, false]);
  expect(await list('--connection', scope.connectionId)).toEqual([...points.toReversed(), false]);
  expect(await list('--state', 'failed')).toEqual([points[1], false]);
  await report(last.projectId, last.runId, 'failed', {}, 'processing_error');
  expect(await list('--state', 'failed')).toEqual([last.runId, points[1], false]);
  const { stdout } = await weir(['runs', 'list', '--limit', '1'], env);
  expect(stdout.split('\t').slice(1, 6)).toEqual(['failed', 'processing_error', '0', 'recalculation', last.projectId]);
});

describe('weir runs show', () => {
  test('tells how far a recalculation is', async () => {
    const { projectId, variableId, runId } = await variables.newCalculated();
    await report(projectId, runId, 'running', {
      ...{ rangesTotal: 3, rangesDone: 1, rangesSkipped: 1, instantsTotal: 90, instantsDone: 40 },
      missing: { missing_input: 7 },
    });
    expect(await weirJson(['runs', 'show', runId], env)).toMatchObject({
      ...{ run_id: runId, project_id: projectId, kind: 'recalculation', state: 'running', error: null },
      cause: { kind: 'calculated_variable', id: variableId },
      progress: {
        ranges: { total: 3, done: 1, skipped: 1 },
        instants: { total: 90, done: 40 },
        missing: { missing_input: 7 },
      },
    });
    const { stdout } = await weir(['runs', 'show', runId], env);
    expect(stdout).toContain(`cause\tcalculated_variable ${variableId}\n`);
    expect(stdout).toContain('ranges\t1 of 3 done, 1 left to later recalculations\n');
    expect(stdout).toContain('instants\t40 of 90 done\n');
    expect(stdout).toContain('missing missing_input\t7\n');
  });

  test('of a run of no kind is 1', async () => {
    const { code, stderr } = await weir(['runs', 'show', newId()], env);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'weir: There is no such run.\n' });
  });
});

test('weir runs cancel ends a recalculation once', async () => {
  const { runId } = await variables.newCalculated();
  const cancelled = await weirJson(['runs', 'cancel', runId], env);
  expect(cancelled).toMatchObject({ run_id: runId, state: 'failed', error: { code: 'cancelled' } });
  const again = await weir(['runs', 'cancel', runId], env);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('The run has ended (failed)') });
  const [point = ''] = await ingestion.admit(ingestion.newScope(), 1, []);
  expect(await weir(['runs', 'cancel', point], env)).toMatchObject({ code: 1 });
});

describe('weir recalculate', () => {
  test('starts a run, in a range', async () => {
    const { projectId, variableId } = await variables.newCalculated();
    const range = ['--start', '2026-01-01T00:00:00Z', '--end', '2026-02-01T00:00:00+01:00'];
    const started = await weirJson(['recalculate', variableId, '--project', projectId, ...range], env);
    expect(started).toMatchObject({ state: 'queued', cause: { kind: 'operator', id: variableId } });
    const { changes } = await variables.client.listCalculationChanges({ limit: 1000 });
    expect(changes.find(({ runId }) => runId === started['run_id'])?.ranges).toEqual([
      { startUs: Date.UTC(2026, 0, 1) * 1000, endUs: Date.UTC(2026, 0, 31, 23) * 1000 },
    ]);
    const missing = await weir(['recalculate', newId(), '--project', projectId], env);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no such variable') });
    expect((await weir(['recalculate', variableId], env)).code).toBe(2);
    const empty = ['--start', '2026-01-01T00:00:00Z', '--end', '2026-01-01T00:00:00Z'];
    expect((await weir(['recalculate', variableId, '--project', projectId, ...empty], env)).code).toBe(1);
  });

  test('takes instants before and after the time of observations as its bounds, as lists of runs do', async () => {
    const { projectId, variableId } = await variables.newCalculated();
    const ends = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'] as const;
    const always = ['--start', ends[0], '--end', ends[1]];
    const started = await weirJson(['recalculate', variableId, '--project', projectId, ...always], env);
    const { changes } = await variables.client.listCalculationChanges({ limit: 1000 });
    expect(changes.find(({ runId }) => runId === started['run_id'])?.ranges).toMatchObject([
      { endUs: Date.UTC(2250, 0, 1) * 1000 },
    ]);
    const created = ['--created-after', ends[0], '--created-before', ends[1]];
    const { items } = await weirJson<{ items: PrintedRun[] }>(
      ['runs', 'list', '--project', projectId, ...created],
      env,
    );
    expect(items.map((item) => item.run_id)).toContain(started['run_id']);
  });

  test('waits for the end, shows its progress at a terminal, and tells a failure by its exit code', async () => {
    for (const end of ['succeeded', 'failed']) {
      const { projectId, variableId } = await variables.newCalculated();
      const shown = { out: '', err: '' };
      let runId = '';
      // as soon as it says that it waits, the run goes on
      const goOn = async (text: string) => {
        const [newest] = (await variables.client.listRecalculations({ projectId, limit: 1 })).recalculations;
        runId = newest?.runId ?? '';
        const progress = { instantsTotal: 8, instantsDone: 4 };
        if (text.includes('queued')) await report(projectId, runId, 'running', progress);
        if (text.includes('running')) {
          const code = end === 'failed' ? 'processing_error' : '';
          await report(projectId, runId, end, { ...progress, rangesDone: 1, instantsDone: 8 }, code);
        }
      };
      const steps: Promise<void>[] = [];
      const code = await run({
        args: ['recalculate', variableId, '--project', projectId, '--wait', '--json'],
        env,
        stdout: { write: (text) => (shown.out += text) },
        stderr: {
          isTTY: true,
          write: (text) => {
            shown.err += text;
            steps.push(goOn(text));
          },
        },
        userName: 'tester',
        version: '0',
      });
      await Promise.all(steps);
      expect(shown.err).toContain(']   0% queued: 0 of 0 instants');
      expect(shown.err).toContain(']  50% running: 4 of 8 instants');
      expect(shown.err).toMatch(/\r\u{1b}\[2K$/u);
      expect(JSON.parse(shown.out)).toMatchObject({ run_id: runId, state: end, progress: { instants: { done: 8 } } });
      expect(code).toBe(end === 'failed' ? 1 : 0);
    }
  });
});
