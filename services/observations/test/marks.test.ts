import { type Db, type Pool, sql } from '@weir/kit/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { takeOverChanges } from '../src/compute/take-over.js';
import { arrangeRows, type Rows } from '../src/domain/arrange-rows.js';
import type { Definition } from '../src/domain/definition.js';
import { edgesOf } from '../src/domain/edges.js';
import { replaceDefinition } from '../src/store/calculations.js';
import { insertEdges } from '../src/store/readers.js';
import { insertSeries } from '../src/store/series.js';
import { SeriesMemory } from '../src/stream/series-memory.js';
import { type Written, writeRows } from '../src/stream/write-rows.js';
import {
  arbitraryDefinition,
  arbitraryState,
  differing,
  isDriven,
  type State,
  seriesKeys,
  spanUs,
} from './reach-model.js';
import {
  calculationChange,
  forgetCalculations,
  instrumentId,
  minuteUs,
  type StoredMark,
  storedMarks,
} from './test-calculations.js';
import { projectId } from './test-points.js';
import { openTestPools, type TestPools } from './test-servers.js';

/** Instants in minutes. */
type Row = readonly [variableKey: number, minute: number, value: number];

let pools: TestPools;
let pool: Pool;
let admin: Pool;
let memory: SeriesMemory;
let admissions = 0;
beforeAll(async () => {
  pools = await openTestPools();
  ({ pool, admin } = pools);
});
afterAll(() => pools[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetCalculations(admin);
  memory = new SeriesMemory();
});

function toRows(values: readonly Row[], admitted: (i: number) => number): Rows {
  const variableKeys = [...new Set(values.map(([key]) => key))];
  return arrangeRows({
    count: values.length,
    variableKeys,
    slots: Uint32Array.from(values, ([key]) => variableKeys.indexOf(key)),
    instantsUs: Float64Array.from(values, ([, minute]) => minute * minuteUs),
    values: Float64Array.from(values, ([, , value]) => value),
    admitted: Float64Array.from(values, (_, i) => admitted(i)),
  }).rows;
}

interface Given {
  readonly mayBeStored?: boolean;
  readonly from?: number;
  readonly into?: Pool;
}

/** Writes rows, each admitted after all before. */
async function write(values: readonly Row[], { mayBeStored = false, from, into = pool }: Given = {}): Promise<Written> {
  const first = from ?? admissions + 1;
  admissions = Math.max(admissions, first + values.length);
  const rows = toRows(values, (i) => first + i);
  await memory.ensure(
    pool,
    [...new Set(rows.variableKeys)].map((variableKey) => ({ variableKey, projectId, instrumentId, generation: 1 })),
  );
  return await writeRows({ pool: into, memory, projectIds: [projectId], mayBeStored }, rows);
}

/** So many observations of a series, a minute apart. */
function many(key: number, from: number, count: number): Row[] {
  return Array.from({ length: count }, (_, i) => [key, from + i, i]);
}

async function install(expression: string, inputs: Record<string, number>, variableKey = 7): Promise<void> {
  await takeOverChanges(pool, projectId, [calculationChange({ variableKey, expression, inputs })]);
}

/** The marks since the last look, ranges in whole minutes as far as they begin and end there. */
async function newMarks(): Promise<(readonly [key: number, ranges: StoredMark['ranges']])[]> {
  const marks = await storedMarks(admin);
  expect(marks.every(({ lane, run }) => lane === 0 && run === undefined)).toBe(true);
  await admin.query(sql`delete from observations.dirty`);
  return marks.map(({ key, ranges }) => [key, ranges]);
}

/** The end of a range that has one instant, in minutes. */
const with1Us = (minute: number): number => Number((minute + 1 / minuteUs).toFixed(12));
const rounded = (marks: Awaited<ReturnType<typeof newMarks>>) =>
  marks.map(([key, ranges]) => [key, ranges.map((range) => range.map((minute) => Number(minute.toFixed(12))))]);

/** A pool, and how the statements of its transactions begin. */
function counted(): { readonly into: Pool; readonly statements: readonly string[] } {
  const statements: string[] = [];
  const noted =
    (db: Db): Db['query'] =>
    (given, name) => {
      statements.push(given.text.replace(/\s+/g, ' ').slice(0, 15));
      return db.query(given, name);
    };
  const into: Pool = {
    ...pool,
    transaction: (work) =>
      pool.transaction((tx) =>
        work({
          get client() {
            return tx.client;
          },
          query: noted(tx),
          last: { query: noted(tx.last) },
        }),
      ),
  };
  return { into, statements };
}

describe('marks of points', () => {
  test('are one range for what is new, whether copied or not', async () => {
    await install('2 * x', { x: 1 });
    expect(await write([...many(1, 0, 100), ...many(2, 0, 100)])).toMatchObject({ isMarked: true });
    expect(rounded(await newMarks())).toEqual([[7, [[0, with1Us(99)]]]]);
    // some more, which are upserted
    await write(many(1, 100, 40));
    expect(rounded(await newMarks())).toEqual([[7, [[100, with1Us(139)]]]]);
  });

  test('are one range for what comes late where nothing is, copied, and another for what is new beside it', async () => {
    await install('2 * x', { x: 1 });
    await write([...many(1, 0, 100), ...many(1, 200, 100)]);
    await newMarks();
    const { into, statements } = counted();
    const marked = (first: number, last: number) => [7, [[first, with1Us(last)]]];
    await write([...many(1, 100, 80), ...many(1, 300, 70)], { into });
    expect(rounded(await newMarks())).toEqual([marked(100, 179), marked(300, 369)]);
    expect(statements.filter((text) => text === 'insert into obs')).toHaveLength(2);
    await write(many(1, 181, 70), { into });
    expect(rounded(await newMarks())).toEqual([marked(181, 250)]);
    expect(statements.filter((text) => text === 'insert into obs')).toHaveLength(4);
  });

  test('are none for equal values, for what comes again, and for what was admitted before', async () => {
    await install('2 * x', { x: 1 });
    const values = many(1, 0, 100);
    await write(values, { from: 1000 });
    await newMarks();
    expect(await write(values, { from: 1000, mayBeStored: true })).toEqual({ superseded: [], isMarked: false });
    expect(await write(values)).toEqual({ superseded: [], isMarked: false });
    const older = await write([[1, 50, 77]], { from: 10 });
    expect(older).toEqual({ superseded: [0], isMarked: false });
    expect(await newMarks()).toEqual([]);
  });

  test('are the very instant of a correction', async () => {
    await install('2 * x', { x: 1 });
    await write(many(1, 0, 100));
    await newMarks();
    expect(
      await write([
        [1, 50, 50],
        [1, 51, 1],
        [1, 53, 1],
      ]),
    ).toEqual({ superseded: [], isMarked: true });
    expect(rounded(await newMarks())).toEqual([
      [
        7,
        [
          [51, with1Us(51)],
          [53, with1Us(53)],
        ],
      ],
    ]);
  });

  test('of what is late are one range where nothing lies between', async () => {
    await install('2 * x', { x: 1 });
    await write([
      [1, 10_000, 1],
      [1, 250, 1],
    ]);
    await newMarks();
    await write(many(1, 200, 50));
    await write(many(1, 300, 50));
    expect(rounded(await newMarks())).toEqual([
      [7, [[200, with1Us(249)]]],
      [7, [[300, with1Us(349)]]],
    ]);
    // every second one is there already
    await write(many(1, 1000, 40).map(([key, minute]) => [key, 2 * minute, 3]));
    await newMarks();
    await write(many(1, 1000, 40).map(([key, minute]) => [key, 2 * minute + 1, 3]));
    expect((await newMarks())[0]?.[1]).toHaveLength(40);
    // the rest of a range that is there in part
    await write(many(1, 1900, 300).map(([key, minute]) => [key, minute, 3]));
    expect(rounded(await newMarks())).toEqual([
      [
        7,
        [
          [1900, with1Us(1999)],
          [2080, with1Us(2199)],
        ],
      ],
    ]);
  });

  test('of one of several drivers are its instants alone', async () => {
    await install('x + y', { x: 1, y: 2 });
    await write(many(1, 0, 100));
    expect((await newMarks())[0]?.[1]).toHaveLength(100);
  });

  test('reach each reader by its own way, across pieces and series', async () => {
    await install('2 * x', { x: 1 }, 7);
    await install('coalesce(previous(x), 0) + y', { x: 1, y: 2 }, 8);
    await write([
      [1, 0, 1],
      [1, 10, 1],
      [1, 30, 1],
    ]);
    await newMarks();
    await write([[1, 20, 1]]);
    expect(rounded(await newMarks())).toEqual([
      [7, [[20, with1Us(20)]]],
      [8, [[20, with1Us(30)]]],
    ]);
  });

  test('cost what has no reader two statements', async () => {
    await install('2 * x', { x: 99 });
    const { into, statements } = counted();
    await write(many(1, 0, 100));
    await write([...many(1, 100, 100), ...many(1, 50, 10)], { into });
    expect(statements).toEqual([
      // copied; then what changed is noted
      'select pg_advis',
      'select reader_k',
      'with risen as (',
      // upserted; then the same
      'select pg_advis',
      'select reader_k',
      'insert into obs',
      'with risen as (',
    ]);
  });

  test('are exactly where what is read differs, whatever is written and read', async () => {
    const arbitrary = fc.record({
      definition: arbitraryDefinition,
      states: fc.array(arbitraryState, { minLength: 2, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ definition, states }) => await checkReach(definition, states)),
      { numRuns: 25, seed: 7 },
    );
  });
});

/** Writes states one over the other, nothing is ever taken away, and compares the marks with what reads differently. */
async function checkReach(definition: Definition, states: readonly State[]): Promise<void> {
  await forgetCalculations(admin);
  memory = new SeriesMemory();
  await insertSeries.run(admin, {
    variableKeys: [7],
    projectIds: [projectId],
    instrumentIds: [instrumentId],
    generations: [1],
  });
  const calculated = { variableKey: 7, projectId, variableId: instrumentId, instrumentId, configurationGeneration: 1 };
  await replaceDefinition.one(admin, { ...calculated, version: 1, definition });
  await insertEdges.run(admin, { readerKey: 7, edges: edgesOf(definition) });
  let before: State = new Map();
  for (const state of states) {
    const after = new Map(
      seriesKeys.map((key) => [key, new Map([...(before.get(key) ?? []), ...(state.get(key) ?? [])])]),
    );
    await write(
      [...state].flatMap(([key, values]) => [...values].map(([us, value]): Row => [key, us / minuteUs, value])),
    );
    const { rows } = await admin.query(sql`
      select us from generate_series(0, ${2 * spanUs - 1}) as us
      where exists (select from observations.dirty where ranges @> timestamptz 'epoch' + us * interval '1 microsecond')
      order by us`);
    await admin.query(sql`delete from observations.dirty`);
    const isResult = (us: number): boolean => isDriven([before, after], definition, us);
    const expected = differing(before, after, definition).filter(isResult);
    expect(rows.map(({ us }) => us as number).filter(isResult)).toEqual(expected);
    before = after;
  }
}
