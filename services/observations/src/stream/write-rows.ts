import type { Pool, Transaction } from '@weir/kit/sql';
import type { Rows } from '../domain/arrange-rows.js';
import { changedRanges } from '../domain/changed-ranges.js';
import { markLanes } from '../domain/mark-lanes.js';
import { segmentsOf } from '../domain/reach.js';
import { type SplitRows, selectRows, splitRows } from '../domain/split-rows.js';
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

/** Fewer rows than this are upserted: a copy takes a round trip more. */
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

/**
 * Copies rows that are newer than all that is known of their series, or have nothing of it between them: one next to the other,
 * but for the first of those after the last of these. Undefined: one is there after all.
 */
async function copy(writing: Writing, rows: Rows): Promise<{ readonly isMarked: boolean } | undefined> {
  const isJoined = (row: number): boolean => {
    const lastUs = writing.memory.lastInstantUs(rows.variableKeys[row] as number);
    return (rows.instantsUs[row] as number) <= lastUs || (rows.instantsUs[row - 1] as number) > lastUs;
  };
  try {
    return await write(writing, async (tx) => {
      await copyObservations(tx, rows);
      const isMarked = await markReaders(tx, { ...rows, isJoined }, live);
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

/**
 * Splits rows by whether they can be copied: newer than all that is known of their series, or older, and nothing of it is stored
 * from the first to the last of these. Batches that overtake each other on their way are so, and years that are delivered late.
 */
async function split({ pool, memory }: Writing, rows: Rows): Promise<SplitRows> {
  const known = splitRows(rows, (variableKey) => memory.lastInstantUs(variableKey));
  if (known.late.length < copyRowsMin) return known;
  const late = selectRows(rows, known.late);
  const segments = [...segmentsOf(late)];
  const empty = await selectEmptyRanges.all(pool, {
    variableKeys: bigintArray(Float64Array.from(segments, ([variableKey]) => variableKey)),
    firstInstants: instantArray(Float64Array.from(segments, ([, { start }]) => late.instantsUs[start] as number)),
    lastInstants: instantArray(Float64Array.from(segments, ([, { end }]) => late.instantsUs[end - 1] as number)),
  });
  const emptyKeys = new Set(empty.map(({ variableKey }) => variableKey));
  return splitRows(rows, (variableKey) =>
    emptyKeys.has(variableKey) ? Number.NEGATIVE_INFINITY : memory.lastInstantUs(variableKey),
  );
}

/**
 * Stores rows, of several for one variable and instant the last admitted, and marks what is computed from those that
 * differ. Rows of which none can be there yet are copied, in the hope that it is so; the
 * others, and those copied in vain, are upserted. Each part is a transaction of its own that writes in the order of
 * keys, so that processors wait for each other and never in a circle.
 */
export async function writeRows(writing: Writing, rows: Rows): Promise<Written> {
  const { memory, mayBeStored } = writing;
  const { fresh, late } = mayBeStored ? splitRows(rows, () => Number.POSITIVE_INFINITY) : await split(writing, rows);
  const copied = fresh.length < copyRowsMin ? undefined : await copy(writing, selectRows(rows, fresh));
  const rest = copied !== undefined ? late : [...fresh, ...late].sort((a, b) => a - b);
  const upserted = rest.length === 0 ? undefined : await upsert(writing, selectRows(rows, rest));
  memory.note(rows);
  return {
    superseded: (upserted?.superseded ?? []).map((row) => rest[row] as number),
    isMarked: (copied?.isMarked ?? false) || (upserted?.isMarked ?? false),
  };
}
