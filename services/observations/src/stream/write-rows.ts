import type { Pool, Transaction } from '@weir/kit/sql';
import type { Rows } from '../domain/arrange-rows.js';
import { changedRanges } from '../domain/changed-ranges.js';
import { markLanes } from '../domain/mark-lanes.js';
import { segmentsOf } from '../domain/reach.js';
import { selectRows, splitRows } from '../domain/split-rows.js';
import { bigintArray, instantArray, numbersFromBytes } from '../store/binary.js';
import { lockUnchangedRows } from '../store/changed-rows.js';
import { noteChanges, type StoredBatches } from '../store/changes.js';
import { mark, markReaders, readersOf } from '../store/mark-readers.js';
import {
  copyObservations,
  isUniqueViolation,
  selectEmptyRanges,
  selectSupersededRows,
  toRowColumns,
  upsertObservations,
} from '../store/observations.js';
import { shareProjects } from '../store/project-locks.js';
import { lateChanges } from './late-changes.js';
import type { SeriesMemory } from './series-memory.js';

/** Fewer rows than this are upserted: a copy takes a round trip more, and to ask whether late ones can be copied another. */
const copyRowsMin = 64;
/** What points mark is computed in the live lane, and in no recalculation. */
const live = { lane: markLanes.live, runId: undefined } as const;

/** Where and how rows are written. */
export interface Writing {
  readonly pool: Pool;
  readonly memory: SeriesMemory;
  /** The projects of the rows, each once. */
  readonly projectIds: readonly string[];
  /** The rows come again: copying them would fail. */
  readonly mayBeStored: boolean;
  /** Asked before each commit; what it rejects is not written. */
  readonly permit?: () => Promise<void>;
  /** Of rows that batches bring. */
  readonly batches?: StoredBatches;
}

/** What became of rows. */
export interface Written {
  /** The numbers of the rows for which a later admission is stored. */
  readonly superseded: readonly number[];
  /** Whether something is to be computed from them. */
  readonly isMarked: boolean;
}

/** Runs a part of the writing in a transaction that sees every reader of the rows. */
function write<T>({ pool, projectIds }: Writing, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await shareProjects.run(tx, { projectIds });
    return await work(tx);
  });
}

/** Ends a transaction that writes rows, with one statement about them all, and commits. */
async function conclude(tx: Transaction, rows: Rows, { memory, permit, batches }: Writing): Promise<void> {
  await permit?.();
  const { variableKeys, firstUs, lastUs } = changedRanges(rows);
  const risen = memory.risen(rows);
  await noteChanges.run(tx.last, {
    variableKeys: bigintArray(variableKeys),
    firstInstants: instantArray(firstUs),
    lastInstants: instantArray(lastUs),
    risenKeys: bigintArray(risen.variableKeys),
    risenInstants: instantArray(risen.instantsUs),
    batches,
  });
}

/** Copies rows with nothing of their series between them. Undefined: one is there after all. */
async function copy(writing: Writing, rows: Rows): Promise<{ readonly isMarked: boolean } | undefined> {
  try {
    return await write(writing, async (tx) => {
      await copyObservations(tx, rows);
      const isMarked = await markReaders(tx, { ...rows, isJoined: () => true }, live);
      await conclude(tx, rows, writing);
      return { isMarked };
    });
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/** The rows that are changed where some are not, by their numbers in ascending order. */
function changedRows(rows: Rows, unchanged: Uint32Array): Rows {
  const isUnchanged = new Uint8Array(rows.count);
  for (const row of unchanged) isUnchanged[row] = 1;
  const changed: number[] = [];
  for (let row = 0; row < rows.count; row++) if (isUnchanged[row] === 0) changed.push(row);
  return selectRows(rows, changed);
}

async function upsert(writing: Writing, rows: Rows): Promise<Written> {
  const columns = toRowColumns(rows);
  return await write(writing, async (tx) => {
    const readers = await readersOf(tx, rows);
    // what is the same is not computed again; where nothing is computed nobody asks
    const unchanged = readers.length === 0 ? undefined : await lockUnchangedRows.one(tx, columns);
    const written = await upsertObservations.run(tx, columns);
    const superseded = written === rows.count ? [] : await selectSupersededRows.all(tx, columns);
    let isMarked = false;
    if (unchanged !== undefined) {
      const changed = changedRows(rows, numbersFromBytes(unchanged.rows));
      isMarked = await mark(tx, readers, await lateChanges(tx, readers, changed), live);
    }
    await conclude(tx, rows, writing);
    return { superseded: superseded.map(({ row }) => row), isMarked };
  });
}

/** Of late rows those whose series has nothing stored from the first to the last of them, by their numbers. */
async function inGaps({ pool }: Writing, rows: Rows, late: readonly number[]): Promise<number[]> {
  if (late.length < copyRowsMin) return [];
  const { variableKeys, instantsUs, count } = selectRows(rows, late);
  const segments = [...segmentsOf({ variableKeys, instantsUs, count })];
  const empty = await selectEmptyRanges.all(pool, {
    variableKeys: bigintArray(Float64Array.from(segments, ([variableKey]) => variableKey)),
    firstInstants: instantArray(Float64Array.from(segments, ([, { start }]) => instantsUs[start] as number)),
    lastInstants: instantArray(Float64Array.from(segments, ([, { end }]) => instantsUs[end - 1] as number)),
  });
  const emptyKeys = new Set(empty.map(({ variableKey }) => variableKey));
  return late.filter((row) => emptyKeys.has(rows.variableKeys[row] as number));
}

/**
 * Stores rows, of several for one variable and instant the last admitted, and marks what is computed from those that
 * differ. Rows that are newer than all that is known of their series are copied, in the hope that none is there yet, and so are
 * late ones that come where nothing is: batches that overtake each other on their way, years that are delivered late. The others,
 * and those copied in vain, are upserted. Each part is a transaction of its own, so that what it changed is one range a series. It
 * writes in the order of keys, so that processors wait for each other and not in a circle; but a copy goes from one year's
 * partition to the next, and where rows of several years meet the same in an upsert, PostgreSQL ends one of them, to be repeated.
 */
export async function writeRows(writing: Writing, rows: Rows): Promise<Written> {
  const { memory, mayBeStored } = writing;
  const { fresh, late } = splitRows(rows, (variableKey) => memory.lastInstantUs(variableKey));
  const copyable = mayBeStored ? [] : [fresh, await inGaps(writing, rows, late)];
  const isStored = new Uint8Array(rows.count);
  let isMarked = false;
  for (const part of copyable.filter(({ length }) => length >= copyRowsMin)) {
    const copied = await copy(writing, selectRows(rows, part));
    if (copied === undefined) continue;
    isMarked ||= copied.isMarked;
    for (const row of part) isStored[row] = 1;
  }
  const rest: number[] = [];
  for (let row = 0; row < rows.count; row++) if (isStored[row] === 0) rest.push(row);
  const upserted = rest.length === 0 ? undefined : await upsert(writing, selectRows(rows, rest));
  memory.note(rows);
  return {
    superseded: (upserted?.superseded ?? []).map((row) => rest[row] as number),
    isMarked: isMarked || (upserted?.isMarked ?? false),
  };
}
