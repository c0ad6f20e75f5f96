import { parseRunId } from '@weir/kit/ids';
import { formatInstant } from '@weir/kit/time';
import { checkReads } from './check-reads.js';
import {
  type Facts,
  finalStates,
  type History,
  type Sent,
  type Sighting,
  type Stored,
  type StoredBatch,
} from './history.js';
import { smoothed } from './smoothed.js';

/** How many differences of one kind are told. */
const shownMax = 5;

/** What was decided. */
export interface Verdict {
  /** Each begins with the invariant that it violates, I1 to I6 of docs/guarantees.md. */
  readonly violations: readonly string[];
  /** Points that were acknowledged, and those of them whose run says why they are not stored. */
  readonly acknowledged: number;
  readonly failed: number;
  /** Tries that were not answered with 200, and requests that were answered as replays. */
  readonly refused: number;
  readonly replayed: number;
  /** Reads of what was sent that were answered with 200, and those that were not. */
  readonly read: number;
  readonly unread: number;
  /** Whether counters had to agree with the database to the run: their process lived, and missed no answer. */
  readonly isCounted: boolean;
}

const isAcknowledged = ({ answers }: Sent): boolean => answers.some(({ status }) => status === 200);

/** The first few of many, and how many more there are. */
function shown(lines: readonly string[]): string[] {
  if (lines.length <= shownMax) return [...lines];
  return [...lines.slice(0, shownMax), `${lines[0]?.slice(0, 2)}: and ${lines.length - shownMax} more of the kind`];
}

/** I2: one key means one list of runs, and is admitted once. */
function checkKeys({ sent }: History, byKey: ReadonlyMap<string, readonly StoredBatch[]>): string[] {
  return sent.flatMap(({ key, readings, answers }) => {
    const lists = new Set(answers.flatMap(({ runs }) => (runs === undefined ? [] : [runs.join()])));
    const first = answers.filter(({ replayed }) => replayed === false).length;
    const stored = byKey.get(key) ?? [];
    return [
      ...(lists.size > 1 ? [`I2: key ${key} was answered with ${lists.size} lists of runs`] : []),
      ...(first > 1 ? [`I2: key ${key} was admitted ${first} times`] : []),
      ...(stored.length > 1 ? [`I2: key ${key} has ${stored.length} batches`] : []),
      ...stored
        .filter(({ runCount }) => runCount !== readings.length)
        .map(({ runCount }) => `I2: key ${key} has ${runCount} runs of ${readings.length} points`),
    ];
  });
}

/** I1: every run of an answer is there and final. */
function checkRuns(
  { sent }: History,
  { deviations, queued, messages }: Facts,
  byId: ReadonlyMap<string, StoredBatch>,
): string[] {
  const faults = sent.flatMap(({ key, readings, answers }) => {
    const { runs } = answers.find(({ status }) => status === 200) ?? {};
    if (runs === undefined) return [];
    if (runs.length !== readings.length) return [`I1: key ${key} has ${runs.length} runs of ${readings.length} points`];
    const [batchId = ''] = runs.map((id) => parseRunId(id).batchId);
    const batch = byId.get(batchId);
    if (batch === undefined) return [`I1: key ${key} was acknowledged, and its batch ${batchId} is not there`];
    return runs.flatMap((id) => {
      const { state, code } = deviations.get(id) ?? { state: batch.isFinished ? 'succeeded' : 'queued' };
      if (!finalStates.has(state)) return [`I1: run ${id} of key ${key} is ${state}`];
      return state === 'failed' && code === undefined ? [`I1: run ${id} failed and says not why`] : [];
    });
  });
  return [
    ...faults,
    ...(queued > 0 ? [`I1: ${queued} batches are queued`] : []),
    ...(messages > 0 ? [`I1: ${messages} messages are in the stream`] : []),
  ];
}

/** What every device should have: of its readings that did not fail, the one that was admitted last. */
function expectedOf(
  { sent }: History,
  { deviations }: Facts,
  byKey: ReadonlyMap<string, readonly StoredBatch[]>,
): { readonly expected: Map<string, Map<number, number>>; readonly failed: number } {
  const expected = new Map<string, Map<number, number>>();
  let failed = 0;
  for (const request of sent) {
    // one that was never acknowledged counts when it was admitted all the same, and then whole
    const [batch] = byKey.get(request.key) ?? [];
    if (batch === undefined && !isAcknowledged(request)) continue;
    const runs = request.answers.find(({ runs: list }) => list !== undefined)?.runs;
    const series = expected.get(request.device) ?? new Map<number, number>();
    expected.set(request.device, series);
    request.readings.forEach(({ atUs, value }, index) => {
      if (runs !== undefined && deviations.get(runs[index] ?? '')?.state === 'failed') failed++;
      else series.set(atUs, value);
    });
  }
  return { expected, failed };
}

function differences(what: string, stored: Stored, expected: ReadonlyMap<number, number>): string[] {
  const has = new Map(stored);
  const lines: string[] = [];
  if (has.size !== stored.length) lines.push(`I3: ${what} has ${stored.length - has.size} instants twice`);
  for (const atUs of new Set([...expected.keys(), ...has.keys()])) {
    const [value, should] = [has.get(atUs), expected.get(atUs)];
    if (!Object.is(value, should))
      lines.push(`I3: ${what} at ${formatInstant(atUs)} is ${value ?? 'lost'}, not ${should ?? 'nothing'}`);
  }
  return shown(lines);
}

/** I3: what is stored is exactly that, and what is calculated follows from it. */
function checkSeries(facts: Facts, expected: ReadonlyMap<string, ReadonlyMap<number, number>>): string[] {
  return [...expected].flatMap(([device, values]) => {
    const entries = [...values].sort(([a], [b]) => a - b);
    const rows = facts.rows.get(device) ?? 0;
    return [
      ...differences(device, facts.measured.get(device) ?? [], values),
      ...differences(`${device}, calculated`, facts.calculated.get(device) ?? [], new Map(smoothed(entries))),
      ...(rows === values.size ? [] : [`I3: ${device} has ${rows} rows of ${values.size} observations`]),
    ];
  });
}

/** I4: what was seen final stays so, for whoever asks after that. */
function checkSightings({ sightings }: History, { deviations }: Facts): string[] {
  const firstOf = new Map<string, Sighting>();
  for (const sighting of sightings.filter(({ state }) => finalStates.has(state))) {
    const { endedMs = Number.POSITIVE_INFINITY } = firstOf.get(sighting.runId) ?? {};
    if (sighting.endedMs < endedMs) firstOf.set(sighting.runId, sighting);
  }
  return sightings.flatMap(({ runId, state, sentMs }) => {
    const first = firstOf.get(runId);
    const after = deviations.get(runId)?.state ?? 'succeeded';
    const hasChanged = first !== undefined && first.endedMs <= sentMs && first.state !== state;
    return [
      ...(hasChanged ? [`I4: run ${runId} was ${first.state} and became ${state}`] : []),
      ...(finalStates.has(state) && after !== state ? [`I4: run ${runId} was ${state} and is ${after}`] : []),
    ];
  });
}

/** I5: what was counted is what is stored; no more than that where an answer of the database may have been missed. */
function checkCounts({ runs }: Facts): string[] {
  if (runs === undefined) return [];
  const { counted, stored, isExact } = runs;
  const kinds = ['admitted', 'completed', 'failed'] as const;
  return kinds
    .filter((kind) => (isExact ? counted[kind] !== stored[kind] : counted[kind] > stored[kind]))
    .map((kind) => `I5: ${counted[kind]} runs were counted as ${kind}, and ${stored[kind]} are`);
}

/** A device's requests are admitted in the order in which it sent them, since it waits for each answer. */
function checkOrder({ sent }: History, byKey: ReadonlyMap<string, readonly StoredBatch[]>): string[] {
  const last = new Map<string, number>();
  return sent.flatMap(({ key, device }) => {
    const number = byKey.get(key)?.[0]?.number;
    if (number === undefined) return [];
    const before = last.get(device) ?? 0;
    last.set(device, number);
    return number > before ? [] : [`I3: key ${key} of ${device} was admitted before what was sent before it`];
  });
}

/** Decides over all that was done and seen, against what is there in the end. */
export function checkHistory(history: History, facts: Facts): Verdict {
  const withKey = facts.batches.flatMap((batch) => (batch.key === undefined ? [] : [{ ...batch, key: batch.key }]));
  const byKey = Map.groupBy(withKey, ({ key }) => key);
  const byId = new Map(facts.batches.map((batch) => [batch.batchId, batch]));
  const { expected, failed } = expectedOf(history, facts, byKey);
  const answers = history.sent.flatMap((request) => request.answers);
  const strays = facts.batches.filter(({ key }) => key === undefined).length;
  return {
    violations: [
      ...shown(checkRuns(history, facts, byId)),
      ...shown(checkKeys(history, byKey)),
      ...(strays > 0 ? [`I2: ${strays} batches have no key, and all were sent under one`] : []),
      ...checkSeries(facts, expected),
      ...shown(checkOrder(history, byKey)),
      ...shown(checkSightings(history, facts)),
      ...checkCounts(facts),
      ...shown(checkReads(history)),
    ],
    acknowledged: history.sent.filter(isAcknowledged).reduce((sum, { readings }) => sum + readings.length, 0),
    failed,
    refused: answers.filter(({ status }) => status !== 200).length,
    replayed: answers.filter(({ replayed }) => replayed === true).length,
    read: history.reads.filter(({ status }) => status === 200).length,
    unread: history.reads.filter(({ status }) => status !== 200).length,
    isCounted: facts.runs?.isExact === true,
  };
}
