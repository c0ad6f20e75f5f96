import { newId, parseRunId, runIds } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { checkHistory } from './check-history.js';
import type { Facts, History, Reading, StoredBatch } from './history.js';
import { smoothed } from './smoothed.js';

const atUs = (second: number): number => Date.UTC(2026, 0, 1) * 1000 + second * 1_000_000;
const readings = (from: number, ...values: number[]): Reading[] =>
  values.map((value, i) => ({ atUs: atUs(from + i), value }));

/** Five runs that were admitted, and succeeded. */
const five = { admitted: 5, completed: 5, failed: 0 };

interface Case {
  history: History;
  facts: Facts;
  batches: [StoredBatch, StoredBatch];
  runs: [string[], string[]];
}

/** Two requests of one device, the second of which corrects a point of the first: all as it should be. */
function sound(): Case {
  const ids = [parseRunId(newId()).batchId, parseRunId(newId()).batchId] as const;
  const [first, second] = [readings(0, 1, 2, 3), readings(2, 30, 40)];
  const runs: Case['runs'] = [[0, 1, 2].map(runIds(ids[0])), [0, 1].map(runIds(ids[1]))];
  const answer = (list: string[], replayed: boolean) => ({ sentMs: 0, endedMs: 1, status: 200, runs: list, replayed });
  const measured = [...first.slice(0, 2), ...second].map(({ atUs: at, value }) => [at, value] as const);
  const batches: Case['batches'] = [
    { batchId: ids[0], number: 7, key: 'a', runCount: 3, isFinished: true },
    { batchId: ids[1], number: 8, key: 'b', runCount: 2, isFinished: true },
  ];
  return {
    runs,
    batches,
    history: {
      sent: [
        {
          key: 'a',
          device: 'd',
          readings: first,
          answers: [{ sentMs: 0, endedMs: 1, status: 503 }, answer(runs[0], true), answer(runs[0], true)],
        },
        { key: 'b', device: 'd', readings: second, answers: [answer(runs[1], false)] },
      ],
      sightings: [
        { runId: runs[0][0] ?? '', sentMs: 1, endedMs: 2, state: 'queued' },
        { runId: runs[0][0] ?? '', sentMs: 2, endedMs: 3, state: 'succeeded' },
      ],
      reads: [],
    },
    facts: {
      batches,
      deviations: new Map(),
      queued: 0,
      messages: 0,
      measured: new Map([['d', measured]]),
      calculated: new Map([['d', smoothed(measured)]]),
      rows: new Map([['d', measured.length]]),
      runs: { counted: five, stored: five, isExact: true },
    },
  };
}

test('what is as it should be has no violations', () => {
  const { history, facts } = sound();
  const counts = { acknowledged: 5, failed: 0, refused: 1, replayed: 2, read: 0, unread: 0 };
  expect(checkHistory(history, facts)).toEqual({ violations: [], ...counts, isCounted: true });
});

test('a run that failed says why, and its point is not there', () => {
  const { history, facts, runs } = sound();
  const [entry] = facts.measured.get('d') ?? [];
  const rest = (facts.measured.get('d') ?? []).slice(1);
  const failed: Facts = {
    ...facts,
    deviations: new Map([[runs[0][0] ?? '', { state: 'failed', code: 'processing_error' }]]),
    measured: new Map([['d', rest]]),
    calculated: new Map([['d', smoothed(rest)]]),
    rows: new Map([['d', rest.length]]),
  };
  expect(entry).toBeDefined();
  expect(checkHistory({ ...history, sightings: [] }, failed)).toMatchObject({ violations: [], failed: 1 });
});

test('a request that was never answered is there whole, or not at all', () => {
  const { history, facts, batches } = sound();
  const [, second] = history.sent;
  second?.answers.splice(0, 1, { sentMs: 0, endedMs: 1, status: 0 });
  expect(checkHistory(history, facts).violations).toEqual([]);
  const half = { ...facts, batches: [batches[0], { ...batches[1], runCount: 1 }] };
  expect(checkHistory(history, half).violations).toContainEqual('I2: key b has 1 runs of 2 points');
});

const series = (facts: Facts, change: (entries: (readonly [number, number])[]) => (readonly [number, number])[]) => ({
  measured: new Map([['d', change([...(facts.measured.get('d') ?? [])])]]),
});

test.each<[string, RegExp, (made: Case) => Partial<Facts>]>([
  ['an acknowledged batch that is not there', /^I1: .* is not there$/, ({ batches }) => ({ batches: [batches[1]] })],
  [
    'a run that is queued',
    /^I1: run .* is queued$/,
    ({ batches }) => ({ batches: [batches[0], { ...batches[1], isFinished: false }] }),
  ],
  [
    'a failure without a reason',
    /^I1: run .* says not why$/,
    ({ runs }) => ({ deviations: new Map([[runs[0][0] ?? '', { state: 'failed', code: undefined }]]) }),
  ],
  ['a row of the queue', /^I1: 1 batches are queued$/, () => ({ queued: 1 })],
  ['a message that is left', /^I1: 2 messages/, () => ({ messages: 2 })],
  [
    'a key that was admitted twice',
    /^I2: key a has 2 batches$/,
    ({ batches }) => ({ batches: [...batches, { ...batches[0], batchId: newId(), number: 9 }] }),
  ],
  [
    'a batch without its key',
    /^I2: 1 batches have no key/,
    ({ batches }) => ({ batches: [...batches, { ...batches[0], batchId: newId(), key: undefined }] }),
  ],
  ['a point that is lost', /^I3: d at .* is lost, not 1$/, ({ facts }) => series(facts, (all) => all.slice(1))],
  [
    'a point from nowhere',
    /^I3: d at .* is 5, not nothing$/,
    ({ facts }) => series(facts, (all) => [...all, [atUs(99), 5]]),
  ],
  [
    'an earlier value that won',
    /^I3: d at .* is 3, not 30$/,
    ({ facts }) => series(facts, (all) => all.with(2, [atUs(2), 3])),
  ],
  [
    'an instant that is there twice',
    /^I3: d has 1 instants twice$/,
    ({ facts }) => series(facts, (all) => [...all, all[0] ?? [0, 0]]),
  ],
  ['a row more than is read', /^I3: d has 5 rows of 4 observations$/, () => ({ rows: new Map([['d', 5]]) })],
  ['a calculated value that is not there', /^I3: d, calculated at .* is lost/, () => ({ calculated: new Map() })],
  [
    'an order that is not that of sending',
    /^I3: key b of d was admitted before/,
    ({ batches }) => ({ batches: [batches[0], { ...batches[1], number: 3 }] }),
  ],
  [
    'a final state that changed',
    /^I4: run .* was succeeded and is failed$/,
    ({ runs }) => ({ deviations: new Map([[runs[0][0] ?? '', { state: 'failed', code: 'processing_error' }]]) }),
  ],
  [
    'a run that was counted twice',
    /^I5: 6 runs were counted as admitted, and 5 are$/,
    () => ({ runs: { counted: { ...five, admitted: 6 }, stored: five, isExact: true } }),
  ],
  [
    'a run that was not counted',
    /^I5: 4 runs were counted as completed, and 5 are$/,
    () => ({ runs: { counted: { ...five, completed: 4 }, stored: five, isExact: true } }),
  ],
  [
    'a failure that was counted and is none, though answers were missed',
    /^I5: 1 runs were counted as failed, and 0 are$/,
    () => ({ runs: { counted: { ...five, failed: 1 }, stored: five, isExact: false } }),
  ],
])('J12: %s is told', (_, tells, change) => {
  const made = sound();
  const { violations } = checkHistory(made.history, { ...made.facts, ...change(made) });
  expect(violations.filter((violation) => tells.test(violation))).not.toEqual([]);
});

test('a run whose answer was missed need not be counted, and none has to be by a process that was killed', () => {
  const { history, facts } = sound();
  const missed = { counted: { ...five, completed: 4 }, stored: five, isExact: false };
  for (const runs of [missed, undefined])
    expect(checkHistory(history, { ...facts, runs })).toMatchObject({ violations: [], isCounted: false });
});

test('J12: answers that do not agree are told', () => {
  const { history, facts, runs } = sound();
  const [first, second] = history.sent;
  first?.answers.push({ sentMs: 0, endedMs: 1, status: 200, runs: runs[1], replayed: true });
  second?.answers.push({ sentMs: 0, endedMs: 1, status: 200, runs: runs[1], replayed: false });
  history.sightings.push({ runId: runs[0][0] ?? '', sentMs: 3, endedMs: 4, state: 'queued' });
  expect(checkHistory(history, facts).violations).toEqual([
    'I2: key a was answered with 2 lists of runs',
    'I2: key b was admitted 2 times',
    `I4: run ${runs[0][0]} was succeeded and became queued`,
  ]);
});

test('a state that was asked for before another was answered may be told after it', () => {
  const { history, facts, runs } = sound();
  history.sightings.push({ runId: runs[0][0] ?? '', sentMs: 2.5, endedMs: 4, state: 'queued' });
  expect(checkHistory(history, facts)).toMatchObject({ violations: [] });
});

test('J12: a read that is not as it should be is told', () => {
  const { history, facts } = sound();
  history.reads.push({ what: 'page', device: 'd', fromUs: atUs(0), toUs: atUs(9), sentMs: 4, endedMs: 5, status: 500 });
  expect(checkHistory(history, facts)).toMatchObject({ violations: [expect.stringMatching(/^I6: /)], unread: 1 });
});
