import type { Pool, Transaction } from '@weir/kit/sql';
import { nowUs, observationInstantMinUs } from '@weir/kit/time';
import { MakingWay } from './compute/making-way.js';
import { RollupBuilder } from './domain/rollup-builder.js';
import { doublesFromBytes, instantsFromBytes } from './store/binary.js';
import {
  deleteRollups,
  insertRollups,
  selectChangedHours,
  selectIsDense,
  selectRollupCandidates,
  selectRollupState,
  selectSnapshot,
  selectStretch,
  selectValues,
  upsertRollupState,
} from './store/rollups.js';
import { rollupLock, tryLock } from './store/work-locks.js';

const hourUs = 3_600_000_000;
/** A series with few observations that is changed again is looked at again no sooner. */
const sparsePauseUs = 600_000_000;
/** Observations that one transaction makes rollups of, unless a single hour has more. */
const observationsMax = 250_000;
/** Observations that are read at once: a millisecond of the thread that points are processed by. */
const pageMax = 4096;
/** Beside points it rests so many times as long as it works: nobody waits for rollups. */
const rests = 4;
/** Ranges of hours that one transaction makes anew. */
const rangesMax = 100;
/** A series has rollups when its last observations come at ten a quarter of an hour or more: then they are half its size, or less. */
const dense = { observations: 1000, withinS: (1000 / 10) * 900 } as const;

const floorHour = (us: number): number => Math.floor(us / hourUs) * hourUs;

/** The transaction that makes rollups of a series, and how it makes way for points. */
interface Making {
  readonly tx: Transaction;
  readonly variableKey: number;
  readonly gently: <T>(part: () => Promise<T>) => Promise<T>;
}

/** Makes the rollups of a range anew, from what is stored. */
async function refresh({ tx, variableKey, gently }: Making, fromUs: number, endUs: number): Promise<void> {
  await deleteRollups.run(tx, { variableKey, startUs: fromUs, endUs });
  const builder = new RollupBuilder();
  /** Adds a page. @returns where the next one begins */
  const addPage = async (startUs: number): Promise<number | undefined> => {
    const page = await selectValues.maybe(tx, { variableKey, startUs, endUs, limit: pageMax });
    if (page === undefined) return undefined;
    const instantsUs = instantsFromBytes(page.instants);
    builder.add(instantsUs, doublesFromBytes(page.values));
    return instantsUs.length < pageMax ? undefined : (instantsUs.at(-1) as number) + 1;
  };
  for (let startUs: number | undefined = fromUs; startUs !== undefined; ) {
    const pageStartUs: number = startUs;
    startUs = await gently(() => addPage(pageStartUs));
  }
  await insertRollups.run(tx, { variableKey, rollups: builder.finish() });
}

/**
 * Makes anew what transactions changed that the state's snapshot does not see. A range of too many
 * observations, and all after it, is given up, and made in steps as what is new is.
 *
 * @returns how far the rollups are true after that
 */
async function refreshChanged(
  making: Making,
  { snapshot: since, untilUs }: { readonly snapshot: string; readonly untilUs: number },
): Promise<number> {
  const { tx, variableKey } = making;
  const ranges = await selectChangedHours.all(tx, { variableKey, since, untilUs });
  for (const [i, { startUs, endUs }] of ranges.entries()) {
    const stretch = { variableKey, fromUs: startUs, untilUs: endUs, observations: observationsMax };
    const isLong = (await selectStretch.maybe(tx, stretch))?.endAtUs !== undefined;
    if (i === rangesMax || isLong) return startUs;
    await refresh(making, startUs, endUs);
  }
  return untilUs;
}

/** Makes the rollups from an instant on, for so many observations, up to the hour that is not over. */
async function refreshNext(making: Making, fromUs: number, closedUs: number): Promise<number> {
  if (fromUs >= closedUs) return fromUs;
  const { tx, variableKey, gently } = making;
  const stretch = { variableKey, fromUs, untilUs: closedUs, observations: observationsMax };
  const found = await gently(() => selectStretch.maybe(tx, stretch));
  const endUs =
    found?.endAtUs === undefined ? closedUs : Math.max(floorHour(found.endAtUs), floorHour(found.firstAtUs) + hourUs);
  await refresh(making, fromUs, endUs);
  return endUs;
}

/** What became of a step: there is more to do, nothing, or another process is at it. */
type Step = 'more' | 'done' | 'sparse' | 'busy';

/**
 * One step for one series, as one transaction. Only one process of all makes rollups at a time, so that
 * none overwrites newer ones.
 */
async function step(pool: Pool, { variableKey, gently }: Omit<Making, 'tx'>, closedUs: number): Promise<Step> {
  return await pool.transaction(async (tx) => {
    const making = { tx, variableKey, gently };
    if (!(await tryLock.one(tx, { lock: rollupLock })).isLocked) return 'busy';
    // before all that is read: what it does not see is told by changes, whenever it is committed
    const { snapshot } = await selectSnapshot.one(tx, undefined);
    const state = await selectRollupState.maybe(tx, { variableKey });
    if (state === undefined && !(await selectIsDense.one(tx, { variableKey, ...dense })).isDense) return 'sparse';
    const fromUs = state?.isKnown ? await refreshChanged(making, state) : observationInstantMinUs;
    const untilUs = await refreshNext(making, fromUs, closedUs);
    await upsertRollupState.run(tx, { variableKey, snapshot, untilUs });
    return untilUs < closedUs ? 'more' : 'done';
  });
}

/**
 * Keeps the rollups of all series true, a round at a time: those of hours that are over, of series with many
 * observations. The first round looks at every series, later ones at what was changed since.
 */
export function rollupRounds(
  pool: Pool,
  makingWay = new MakingWay(),
  clockUs: () => number = nowUs,
): (signal: AbortSignal) => Promise<void> {
  let since: string | undefined;
  /** Series with few observations: when they may be looked at again, and whether they were changed meanwhile. */
  const sparse = new Map<number, { readonly pauseEndUs: number; isChanged: boolean }>();
  return async (signal) => {
    const gently = <T>(part: () => Promise<T>): Promise<T> => makingWay.during(signal, part, rests);
    const isFree = await pool.transaction(async (tx) => (await tryLock.one(tx, { lock: rollupLock })).isLocked);
    if (!isFree) return;
    const now = clockUs();
    const closedUs = floorHour(now);
    const { snapshot } = await selectSnapshot.one(pool, undefined);
    const changed = (await selectRollupCandidates.all(pool, { since, closedUs })).map(({ variableKey }) => variableKey);
    // those passed over before, which no change may tell of again
    const due = [...sparse]
      .filter(([, { pauseEndUs, isChanged }]) => isChanged && pauseEndUs <= now)
      .map(([key]) => key);
    for (const variableKey of new Set([...changed, ...due])) {
      const pausing = sparse.get(variableKey);
      if (pausing !== undefined && pausing.pauseEndUs > now) {
        pausing.isChanged = true;
        continue;
      }
      let became: Step = 'more';
      while (became === 'more' && !signal.aborted) became = await step(pool, { variableKey, gently }, closedUs);
      // what is left undone is found again
      if (became === 'busy' || signal.aborted) return;
      if (became === 'sparse') sparse.set(variableKey, { pauseEndUs: now + sparsePauseUs, isChanged: false });
      else sparse.delete(variableKey);
    }
    since = snapshot;
  };
}
