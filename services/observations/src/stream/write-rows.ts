import type { Pool, Transaction } from '@weir/kit/sql';
import type { Rows } from '../domain/arrange-rows.js';
import { changedRanges } from '../domain/changed-ranges.js';
import { selectRows, splitRows } from '../domain/split-rows.js';
import { bigintArray, instantArray } from '../store/binary.js';
import { insertChanges } from '../store/changes.js';
import {
  copyObservations,
  isUniqueViolation,
  selectSupersededRows,
  toRowColumns,
  upsertObservations,
} from '../store/observations.js';
import { raiseLastInstants } from '../store/series.js';
import type { SeriesMemory } from './series-memory.js';

/** Fewer rows than this are upserted: a copy takes a round trip more. */
const copyRowsMin = 64;

/** What goes with every write of rows, in its transaction: which ranges it changes, and the last instants it raises. */
async function note(tx: Transaction, rows: Rows, memory: SeriesMemory): Promise<void> {
  const { variableKeys, firstUs, lastUs } = changedRanges(rows);
  await insertChanges.run(tx, {
    variableKeys: bigintArray(variableKeys),
    firstInstants: instantArray(firstUs),
    lastInstants: instantArray(lastUs),
  });
  const risen = memory.risen(rows);
  if (risen.variableKeys.length === 0) return;
  await raiseLastInstants.run(tx, {
    variableKeys: bigintArray(risen.variableKeys),
    instants: instantArray(risen.instantsUs),
  });
}

async function copy(pool: Pool, rows: Rows, memory: SeriesMemory): Promise<boolean> {
  try {
    await pool.transaction(async (tx) => {
      await copyObservations(tx, rows);
      await note(tx, rows, memory);
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

async function upsert(pool: Pool, rows: Rows, memory: SeriesMemory): Promise<number[]> {
  const columns = toRowColumns(rows);
  return await pool.transaction(async (tx) => {
    const written = await upsertObservations.run(tx, columns);
    const superseded = written === rows.count ? [] : await selectSupersededRows.all(tx, columns);
    await note(tx, rows, memory);
    return superseded.map(({ row }) => row);
  });
}

/**
 * Stores rows, of several for one variable and instant the last admitted. Rows that are newer than
 * all that is known of their series are copied, in the hope that none is there yet; the others, and
 * those copied in vain, are upserted. Each part is a transaction of its own that writes in the
 * order of keys, so that processors wait for each other and never in a circle.
 *
 * @param mayBeStored - the rows come again: copying them would fail
 * @returns the numbers of the rows for which a later admission is stored
 */
export async function writeRows(pool: Pool, memory: SeriesMemory, rows: Rows, mayBeStored: boolean): Promise<number[]> {
  const { fresh, late } = splitRows(rows, (variableKey) => memory.lastInstantUs(variableKey));
  const mayCopy = !mayBeStored && fresh.length >= copyRowsMin;
  const isCopied = mayCopy && (await copy(pool, selectRows(rows, fresh), memory));
  const rest = isCopied ? late : [...fresh, ...late].sort((a, b) => a - b);
  const superseded = rest.length === 0 ? [] : await upsert(pool, selectRows(rows, rest), memory);
  memory.note(rows);
  return superseded.map((row) => rest[row] as number);
}
