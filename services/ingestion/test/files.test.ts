import type { WeirError } from '@weir/kit/errors';
import { newId } from '@weir/kit/ids';
import { type AdmitFileRequest, type FileSource, RunState } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { packedPoints } from './packed-points.js';
import { eventually, newScope, type Scope, type TestIngestion, testIngestion } from './test-ingestion.js';

const counts = { bytes: 100, rows: 4, points: 3, errors: 0, missing: 0, skipped: 0 };
const rowError = { line: 7, column: 2, code: 'not_a_number', message: 'x', raw: 'a\0b\ud800' };

function sourceOf(scope: Scope, changes: Partial<FileSource> = {}): FileSource {
  return { ...scope, idempotencyKey: 'key', parserId: newId(), fileName: 'a.csv', siteId: '', ...changes };
}

async function begin({ client }: TestIngestion, source: FileSource, runId = newId()) {
  const { file } = await client.beginFile({ source, runId, parserVersion: 3, configurationJson: '{"a":1}' });
  if (file?.run === undefined) throw new Error('no file');
  return { ...file, run: file.run, runId: file.run.runId };
}

function step(scope: Scope, runId: string, changes: Partial<AdmitFileRequest> = {}): AdmitFileRequest {
  return {
    ...scope,
    runId,
    position: 0,
    progress: counts,
    rowErrors: [],
    zones: {},
    bodies: [],
    provisioning: 'automatic',
    traceparent: '',
    requestId: 'test',
    ...changes,
  };
}

async function admittedRuns({ pool }: TestIngestion, runId: string): Promise<number> {
  const text = 'select coalesce(sum(run_count), 0) as runs from ingestion.batches where file_run_id = $1';
  return Number((await pool.query({ text, values: [runId] })).rows[0]?.['runs']);
}

const failure = (call: Promise<unknown>): Promise<WeirError> =>
  call.then(
    () => Promise.reject(new Error('did not fail')),
    (error: unknown) => error as WeirError,
  );

describe('a file', () => {
  test('is admitted in steps, in the bulk lane, and shown with its counts', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const { runId } = await begin(it, sourceOf(scope));
    const bodies = [packedPoints(1000), packedPoints(2)];
    expect(await it.client.admitFile(step(scope, runId, { bodies }))).toEqual({
      admitted: true,
      position: 1002,
      isFinished: false,
    });
    const batches = await it.stream.next('bulk');
    expect(batches.map(({ projectId, body }) => [projectId, body.length])).toEqual(
      bodies.map((body) => [scope.projectId, body.length]),
    );
    expect((batches[1]?.id ?? 0) > (batches[0]?.id ?? 0)).toBe(true);

    const { run } = await it.client.finishFile({
      ...scope,
      runId,
      progress: { ...counts, points: 1002, errors: 1 },
      rowErrors: [rowError],
    });
    expect(run).toMatchObject({
      runId,
      kind: 'file',
      state: RunState.PARTIALLY_SUCCEEDED,
      attempts: 1,
      file: {
        parserVersion: 3,
        position: 1002,
        progress: { points: 1002, errors: 1 },
        rowErrors: [{ line: 7, column: 2, raw: 'a\u{fffd}b\u{fffd}' }],
      },
    });
    expect((await it.client.getRun({ scope, runId })).run).toEqual(run);
    const listed = await it.client.listRuns({ scope, kind: 'file', limit: 10 });
    expect(listed.runs).toEqual([{ ...run, file: { ...run?.file, rowErrors: [] } }]);

    const all = await it.client.listRuns({ scope, limit: 100 });
    expect(new Set(all.runs.map(({ kind }) => kind))).toEqual(new Set(['ingestion']));
    const point = await it.client.getRun({ scope, runId: all.runs[0]?.runId ?? '' });
    expect(point.run).toMatchObject({ kind: 'ingestion', fileRunId: runId });
  });

  test('is gone on with under its key, from where it stands and by what was pinned', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const source = sourceOf(scope);
    expect(await it.client.findFile({ source })).toEqual({ file: undefined });
    const first = await begin(it, source);
    const zones = { A: 'Europe/Berlin' };
    await it.client.admitFile(step(scope, first.runId, { bodies: [packedPoints(10)], zones, rowErrors: [rowError] }));
    await it.client.admitFile(step(scope, first.runId, { position: 10, zones: { B: 'UTC' } }));

    const again = await begin(it, source);
    expect(again).toMatchObject({
      runId: first.runId,
      isFinished: false,
      configurationJson: '{"a":1}',
      zones: { A: 'Europe/Berlin', B: 'UTC' },
      run: { file: { position: 10, rowErrors: [{ line: 7 }] } },
    });
    expect((await it.client.findFile({ source })).file).toMatchObject({ run: { attempts: 2 } });
    const end = { ...scope, runId: first.runId, progress: { ...counts, points: 11 }, rowErrors: [] };
    // one of its points is missing
    expect(await failure(it.client.finishFile(end))).toMatchObject({
      code: 'invalid_request',
      details: [{ path: '/progress/points', code: 'incomplete' }],
    });
    expect((await it.client.findFile({ source })).file).toMatchObject({ isFinished: false });
    await it.client.finishFile({ ...end, progress: { ...counts, points: 10 } });
    expect((await it.client.findFile({ source })).file).toMatchObject({
      isFinished: true,
      run: { state: RunState.SUCCEEDED },
    });
    // its end is final
    expect(await it.client.admitFile(step(scope, first.runId, { position: 10, bodies: [packedPoints(1)] }))).toEqual({
      admitted: false,
      position: 10,
      isFinished: true,
    });
    const late = await it.client.finishFile({ ...scope, runId: first.runId, progress: counts, interruption: 'late' });
    expect(late.run?.state).toBe(RunState.SUCCEEDED);
    expect(await admittedRuns(it, first.runId)).toBe(10);
  });

  test('has another key for each connection, and none where none was sent', async () => {
    await using it = await testIngestion();
    const source = sourceOf(newScope());
    const keyed = [source, sourceOf(newScope()), { ...source, idempotencyKey: '' }, { ...source, idempotencyKey: '' }];
    const runIds = await Promise.all(keyed.map(async (one) => (await begin(it, one)).runId));
    expect(new Set(runIds).size).toBe(4);
  });

  test('is refused under the key of another', async () => {
    await using it = await testIngestion();
    const source = sourceOf(newScope());
    await begin(it, source);
    for (const changes of [{ fileName: 'b.csv' }, { parserId: newId() }, { siteId: newId() }]) {
      // each begun when the one before has failed: who fails unobserved fails the whole run of tests
      for (const call of [
        () => it.client.findFile({ source: { ...source, ...changes } }),
        () => begin(it, { ...source, ...changes }),
      ])
        expect(await failure(call())).toMatchObject({
          code: 'invalid_request',
          details: [{ path: 'header/Idempotency-Key', code: 'other_file' }],
        });
    }
  });

  test('that many requests send at once is admitted once', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const source = sourceOf(scope);
    const runs = await Promise.all(Array.from({ length: 8 }, () => begin(it, source)));
    const runId = runs[0]?.runId ?? '';
    expect(new Set(runs.map((run) => run.runId)).size).toBe(1);
    const send = async (): Promise<void> => {
      for (let position = 0; position < 50; ) {
        const answer = await it.client.admitFile(step(scope, runId, { position, bodies: [packedPoints(5)] }));
        expect(answer.position).toBeGreaterThan(answer.admitted ? position : position - 1);
        position = answer.position;
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
    expect(await admittedRuns(it, runId)).toBe(50);
  });

  test('that nobody goes on with fails after a while, until somebody does', async () => {
    await using it = await testIngestion({ FILE_LEASE_MS: '1000' });
    const scope = newScope();
    const source = sourceOf(scope);
    const { runId } = await begin(it, source);
    const expired = await eventually(async () => {
      const { run } = await it.client.getRun({ scope, runId });
      expect(run?.state).toBe(RunState.FAILED);
      return run;
    });
    expect(expired).toMatchObject({ error: { code: 'file_interrupted' }, finishedAtUs: expect.any(Number) });
    expect((await it.client.listRuns({ scope, state: RunState.FAILED, limit: 1 })).runs).toHaveLength(1);
    // the request itself was only slow
    expect(await it.client.admitFile(step(scope, runId, { bodies: [packedPoints(1)] }))).toMatchObject({
      admitted: true,
    });
    expect((await it.client.getRun({ scope, runId })).run).toMatchObject({ state: RunState.RUNNING, error: undefined });
    await it.client.finishFile({ ...scope, runId, progress: counts, interruption: 'The file is too large.' });
    expect((await it.client.getRun({ scope, runId })).run?.error).toEqual({
      code: 'file_interrupted',
      message: 'The file is too large.',
    });
    expect((await begin(it, source)).isFinished).toBe(false);
  });

  test('of which no row could be read has failed', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const { runId } = await begin(it, sourceOf(scope));
    const { run } = await it.client.finishFile({ ...scope, runId, progress: { ...counts, points: 0, errors: 4 } });
    expect(run).toMatchObject({ state: RunState.FAILED, error: { code: 'file_unreadable' } });
  });

  test('is seen by its own connection and project alone', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const { runId } = await begin(it, sourceOf(scope));
    for (const other of [newScope(), { ...scope, connectionId: newId() }])
      expect((await failure(it.client.getRun({ scope: other, runId }))).code).toBe('not_found');
    const other = newScope();
    const stepOfOther = step(other, runId, { bodies: [packedPoints(1)] });
    expect((await failure(it.client.admitFile(stepOfOther))).code).toBe('not_found');
    // also beside one of its own connection
    const [own, others] = await Promise.allSettled([
      it.client.admitFile(step(scope, runId, { position: 7 })),
      it.client.admitFile({ ...stepOfOther, position: 7 }),
    ]);
    expect(own).toMatchObject({ value: { admitted: false, position: 0 } });
    expect(others).toMatchObject({ reason: { code: 'not_found' } });
    expect((await failure(it.client.finishFile({ ...other, runId, progress: counts }))).code).toBe('not_found');
    expect((await failure(it.client.admitFile(step(scope, newId())))).code).toBe('not_found');
  });
});

test('lists show files among points, newest first, page by page', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    ids.push((await begin(it, sourceOf(scope, { idempotencyKey: '' }))).runId);
    const { admissions } = await it.client.admit({
      submissions: [
        {
          ...scope,
          idempotencyKey: '',
          provisioning: 'automatic',
          body: packedPoints(1),
          traceparent: '',
          requestId: 'test',
        },
      ],
    });
    ids.push(admissions[0]?.batchId ?? '');
  }
  const pages: string[] = [];
  let after = '';
  do {
    const page = await it.client.listRuns({ scope, limit: 2, after });
    pages.push(...page.runs.map(({ runId }) => runId));
    after = page.nextAfter;
  } while (after !== '');
  expect(pages).toEqual(ids.sort().reverse());
  expect((await it.client.listRuns({ scope, kind: 'ingestion', limit: 10 })).runs).toHaveLength(3);
  expect((await it.client.listRuns({ scope, state: RunState.RUNNING, limit: 10 })).runs).toHaveLength(3);
  expect(
    (await it.client.listRuns({ scope: { ...scope, connectionId: '' }, kind: 'file', limit: 10 })).runs,
  ).toHaveLength(3);
});

test('a step with faults is refused with all of them', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const { runId } = await begin(it, sourceOf(scope));
  const bad = { projectId: 'x', position: -1, provisioning: 'maybe', bodies: [Buffer.from('no points')] };
  const error = await failure(it.client.admitFile(step(scope, runId, bad)));
  expect(error.details.map(({ path }) => path)).toEqual(['/project_id', '/position', '/provisioning', '/bodies/0']);
});
