import { parseRunId, runId } from '@weir/kit/ids';
import { type ListRunsRequest, type Run, RunState } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { newScope, type Scope, submission, type TestIngestion, testIngestion } from './test-ingestion.js';

const error = { code: 'instrument_archived', message: 'It is archived.' };

type Filter = Partial<ListRunsRequest>;

/** All pages of a list. */
async function pages(it: TestIngestion, request: Filter): Promise<Run[][]> {
  const found: Run[][] = [];
  let after = '';
  do {
    const page = await it.client.listRuns({ limit: 100, ...request, after });
    found.push(page.runs);
    after = page.nextAfter;
  } while (after !== '');
  return found;
}

const idsOf = async (it: TestIngestion, request: Filter): Promise<string[]> =>
  (await pages(it, request)).flat().map((run) => run.runId);

/**
 * Batches of a project with two connections, newest last. Of four batches in a row, the first is
 * queued, the second succeeded, the third has failures, the fourth partial successes that are queued again.
 */
async function someRuns(it: TestIngestion, counts: readonly number[]) {
  const one = newScope();
  const scopes = [one, { ...newScope(), projectId: one.projectId }, newScope()] as const;
  const states = new Map<string, RunState>();
  const owners = new Map<string, Scope>();
  const batches: string[] = [];
  for (let start = 0; start < counts.length; start += 100) {
    const { admissions } = await it.client.admit({
      submissions: counts
        .slice(start, start + 100)
        .map((count, i) => submission(scopes[(start + i) % 3] as Scope, count)),
    });
    batches.push(...admissions.map(({ batchId }) => batchId));
  }
  const numbers = new Map(
    (await it.pool.query({ text: 'select id, public_id from ingestion.batches', values: [] })).rows.map((row) => [
      row['public_id'] as string,
      row['id'] as number,
    ]),
  );
  const outcomes = [];
  const again: string[] = [];
  for (const [number, batchId] of batches.entries()) {
    const kind = number % 4;
    const deviations = [];
    for (let index = 0; index < (counts[number] as number); index++) {
      const id = runId(batchId, index);
      owners.set(id, scopes[number % 3] as Scope);
      states.set(id, kind === 0 || kind === 3 ? RunState.QUEUED : RunState.SUCCEEDED);
      if (kind === 2 && index % 3 !== 1) {
        deviations.push({ index, state: RunState.FAILED, error });
        states.set(id, RunState.FAILED);
      } else if (kind === 3 && index % 2 === 0) {
        deviations.push({ index, state: RunState.PARTIALLY_SUCCEEDED });
        if (index % 4 === 0) again.push(id);
        states.set(id, index % 4 === 0 ? RunState.QUEUED : RunState.PARTIALLY_SUCCEEDED);
      } else if (kind === 3) states.set(id, RunState.SUCCEEDED);
    }
    if (kind !== 0) outcomes.push({ id: numbers.get(batchId) ?? 0, deviations });
  }
  await it.client.completeRuns({ batches: outcomes });
  for (let at = 0; at < again.length; at += 1000) await it.client.retryRuns({ runIds: again.slice(at, at + 1000) });
  const all = [...states.keys()].sort().toReversed();
  return { scopes, states, owners, all, batches };
}

const everyState = [RunState.QUEUED, RunState.SUCCEEDED, RunState.PARTIALLY_SUCCEEDED, RunState.FAILED];

describe('a list', () => {
  test('of ten thousand runs comes in pages without a gap or a repetition, for every filter and scope', async () => {
    await using it = await testIngestion();
    const counts = [...Array.from({ length: 400 }, (_, i) => (i % 5) + 1), ...Array.from({ length: 9 }, () => 1000)];
    const { scopes, states, owners, all } = await someRuns(it, counts);
    expect(all.length).toBeGreaterThan(10_000);
    const [first] = scopes;
    const asked: [Filter, (owner: Scope | undefined) => boolean][] = [
      [{}, () => true],
      [{ scope: { projectId: first.projectId, connectionId: '' } }, (owner) => owner?.projectId === first.projectId],
      [{ scope: first }, (owner) => owner === first],
    ];
    for (const [scope, isIn] of asked) {
      const expected = all.filter((id) => isIn(owners.get(id)));
      expect(await idsOf(it, scope)).toEqual(expected);
      for (const state of everyState)
        expect(await idsOf(it, { ...scope, state })).toEqual(expected.filter((id) => states.get(id) === state));
    }
    expect(await idsOf(it, { state: RunState.RUNNING })).toEqual([]);
  }, 120_000);

  test('keeps its place while others are admitted and finished', async () => {
    await using it = await testIngestion();
    const { scopes, all, owners } = await someRuns(it, [3, 3, 3, 3, 3, 3]);
    const scope = scopes[0];
    const expected = all.filter((id) => owners.get(id) === scope);
    const seen: string[] = [];
    let after = '';
    do {
      const page = await it.client.listRuns({ scope, limit: 2, after });
      seen.push(...page.runs.map((run) => run.runId));
      after = page.nextAfter;
      await it.admit(submission(scope, 2));
    } while (after !== '');
    expect(seen).toEqual(expected);
  });

  test('tells of each run what its detail tells, but the point', async () => {
    await using it = await testIngestion();
    const { all } = await someRuns(it, [2, 2, 2, 2]);
    const runs = (await pages(it, {})).flat();
    expect(runs).toHaveLength(all.length);
    for (const listed of runs) {
      const { run } = await it.client.getRun({ runId: listed.runId });
      expect(listed).toEqual({ ...run, variables: [], instrumentName: '', instrumentTimestampUs: 0 });
    }
    expect(runs.filter(({ state }) => state === RunState.FAILED).map((run) => run.error)).toEqual([error]);
  });

  test('is narrowed by the time of admission, half-open', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const batches: string[] = [];
    // one a millisecond at most: ids of one millisecond share their time
    while (batches.length < 5) {
      const batchId = await it.admit(submission(scope, 1));
      if (batchId.slice(0, 13) !== batches.at(-1)?.slice(0, 13)) batches.push(batchId);
    }
    const runs = (await pages(it, { scope })).flat().filter((run) => batches.includes(parseRunId(run.runId).batchId));
    const times = runs.map((run) => run.createdAtUs).toReversed();
    const between = async (createdAfterUs?: number, createdBeforeUs?: number, state?: RunState) =>
      (await idsOf(it, { scope, createdAfterUs, createdBeforeUs, state: state ?? RunState.UNSPECIFIED }))
        .filter((id) => batches.includes(parseRunId(id).batchId))
        .toReversed();
    expect(await between(times[1], times[3])).toEqual(batches.slice(1, 3));
    expect(await between((times[1] ?? 0) + 1, (times[3] ?? 0) + 1)).toEqual(batches.slice(2, 4));
    expect(await between(undefined, times[2], RunState.QUEUED)).toEqual(batches.slice(0, 2));
    expect(await between(times[2], undefined)).toEqual(batches.slice(2));
    expect(await between(-1e15, 9e15)).toEqual(batches);
    expect(await between(times[4], times[0])).toEqual([]);
  });

  test('is refused with every fault', async () => {
    await using it = await testIngestion();
    const details = (request: object) =>
      it.client.listRuns(request).then(
        () => undefined,
        (thrown: { code: string; details: { path: string }[] }) => [
          thrown.code,
          thrown.details.map(({ path }) => path),
        ],
      );
    expect(await details({ limit: 0, after: 'x' })).toEqual(['invalid_request', ['/after', '/limit']]);
    expect(await details({ limit: 101 })).toEqual(['invalid_request', ['/limit']]);
    expect(await details({ limit: 1, scope: { connectionId: 'x' } })).toEqual([
      'invalid_request',
      ['/scope/connection_id'],
    ]);
  });
});

test('a filter that matches nothing answers short pages with bounded work, and ends', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const { admissions } = await it.client.admit({
    submissions: Array.from({ length: 25 }, () => submission(scope, 1000)),
  });
  const found = await pages(it, { scope, state: RunState.SUCCEEDED });
  expect(found.flat()).toEqual([]);
  expect(found.length).toBeGreaterThan(1);
  expect(found.length).toBeLessThan(5);
  expect(admissions).toHaveLength(25);
});
