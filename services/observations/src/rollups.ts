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
  selectValues,
  upsertRollupState,
} from './store/rollups.js';
import { rollupLock, tryLock } from './store/work-locks.js';

const hourUs = 3_600_000_000;
/** A series with few observations that is changed again is looked at again no sooner. */
const sparsePauseUs = 600_000_000;
/** When so many observations have been read a part of a transaction ends, at a whole hour: what has changed, and what is new. */
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
  /** Observations that this part of it has read. */
  observations: number;
}

const isEnough = ({ observations }: Making): boolean => observations >= observationsMax;

/**
 * Makes the rollups of a range anew, from what is stored, up to the last whole hour when there are enough observations.
 *
 * @returns how far they are made
 */
async function refresh(making: Making, fromUs: number, untilUs: number): Promise<number> {
  const { tx, variableKey, gently } = making;
  const builder = new RollupBuilder();
  let firstUs = Number.POSITIVE_INFINITY;
  /** Adds a page. @returns where the next one begins */
  const addPage = async (startUs: number): Promise<number | undefined> => {
    const page = await selectValues.maybe(tx, { variableKey, startUs, endUs: untilUs, limit: pageMax });
    if (page === undefined) return undefined;
    const instantsUs = instantsFromBytes(page.instants);
    builder.add(instantsUs, doublesFromBytes(page.values));
    firstUs = Math.min(firstUs, instantsUs[0] as number);
    making.observations += instantsUs.length;
    return instantsUs.length < pageMax ? undefined : (instantsUs.at(-1) as number) + 1;
  };
  let endUs = untilUs;
  for (let startUs: number | undefined = fromUs; startUs !== undefined; ) {
    const pageStartUs: number = startUs;
    if (isEnough(making) && floorHour(pageStartUs) > firstUs) {
      endUs = floorHour(pageStartUs);
      break;
    }
    startUs = await gently(() => addPage(pageStartUs));
  }
  await deleteRollups.run(tx, { variableKey, startUs: fromUs, endUs });
  await insertRollups.run(tx, { variableKey, rollups: builder.finish(endUs) });
  return endUs;
}

/**
 * Makes anew what transactions changed that the state's snapshot does not see. What is left when that is enough is given up,
 * and made in steps as what is new is.
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
    if (i === rangesMax || isEnough(making)) return startUs;
    const madeUs = await refresh(making, startUs, endUs);
    if (madeUs < endUs) return madeUs;
  }
  return untilUs;
}

/** What became of a step: there is more to do, nothing, or another process is at it. */
type Step = 'more' | 'done' | 'sparse' | 'busy';

/**
 * One step for one series, as one transaction. Only one process of all makes rollups at a time, so that
 * none overwrites newer ones.
 */
async function step(
  pool: Pool,
  { variableKey, gently }: Omit<Making, 'tx' | 'observations'>,
  closedUs: number,
): Promise<Step> {
  return await pool.transaction(async (tx) => {
    const making = { tx, variableKey, gently, observations: 0 };
    if (!(await tryLock.one(tx, { lock: rollupLock })).isLocked) return 'busy';
    // before all that is read: what it does not see is told by changes, whenever it is committed
    const { snapshot } = await selectSnapshot.one(tx, undefined);
    const state = await selectRollupState.maybe(tx, { variableKey });
    if (state === undefined && !(await selectIsDense.one(tx, { variableKey, ...dense })).isDense) return 'sparse';
    const fromUs = state?.isKnown ? await refreshChanged({ ...making }, state) : observationInstantMinUs;
    // whatever has changed, it goes on from there: else a series that changes all the time would stay where it is
    const untilUs = fromUs < closedUs ? await refresh(making, fromUs, closedUs) : fromUs;
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
