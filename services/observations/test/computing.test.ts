import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ComputingBench, computingBench, series } from './computing-bench.js';
import { runId } from './test-calculations.js';

let bench: ComputingBench;
beforeAll(async () => {
  bench = await computingBench();
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => bench.forget());

const x = { key: 1 };
const y = { key: 2 };
const all = [[-1_000_000, 10_000_000]] as const;

describe('a recalculation', () => {
  test('computes a chain in order, each instant once, however small the slices', async () => {
    await bench.write(1, series(0, 100));
    await bench.install(
      { key: 103, pieces: [{ expression: 'a * b', inputs: { a: { key: 101 }, b: { key: 102 } } }] },
      { run: runId(1), changes: 3, ranges: all },
    );
    await bench.install(
      { key: 101, pieces: [{ expression: '2 * x', inputs: { x } }] },
      { run: runId(1), changes: 3, ranges: all },
    );
    await bench.install(
      { key: 102, pieces: [{ expression: 'a + x', inputs: { a: { key: 101 }, x } }] },
      { run: runId(1), changes: 3, ranges: all },
    );
    await using computing = bench.start({ sliceInstantsMax: 16, recalculationWorkers: 2 });
    computing.wake();
    await bench.drained();
    expect(await bench.stored(101)).toEqual(series(0, 100, (t) => 2 * t));
    expect(await bench.stored(102)).toEqual(series(0, 100, (t) => 3 * t));
    expect(await bench.stored(103)).toEqual(series(0, 100, (t) => 6 * t * t));
    expect(await bench.run(runId(1))).toEqual({ instants: 300, ranges: 3, skipped: 0, missing: {} });
    expect(Math.max(...bench.computed.map(({ instants }) => instants))).toBe(16);
  });

  test('computes a deep chain in order, whatever the order of keys', async () => {
    await bench.write(1, series(0, 5));
    const keys = [120, 104, 119, 103, 118, 102, 117, 101, 116, 100, 121, 122, 105, 115, 106, 114, 107, 113, 108, 112];
    const run = { changes: keys.length, ranges: all, run: runId(1) };
    for (const [i, key] of keys.entries()) {
      const a = { key: keys[i - 1] ?? 1, isCalculated: i > 0 };
      await bench.install({ key, pieces: [{ expression: 'a + 1', inputs: { a } }] }, run);
    }
    await using computing = bench.start();
    computing.wake();
    await bench.drained();
    expect(await bench.stored(112)).toEqual(series(0, 5, (t) => t + keys.length));
    expect(await bench.run(runId(1))).toMatchObject({ instants: 5 * keys.length });
  });

  test('knows pieces, constants in force and types of values', async () => {
    await bench.write(1, series(-10, 30));
    const k = {
      kind: 'constant',
      steps: [
        [5, 10],
        [12, 20],
      ],
    } as const;
    const pieces = [
      { start: 0, expression: 'x / 4', inputs: { x } },
      { start: 10, expression: 'x + k', inputs: { x, k } },
      { start: 20, expression: '(x - 25) * k', inputs: { x, k } },
    ];
    const run = { changes: 3, ranges: all, run: runId(1) };
    await bench.install({ key: 100, pieces }, run);
    await bench.install({ key: 101, valueType: 'integer', pieces }, run);
    await bench.install({ key: 102, valueType: 'boolean', pieces }, run);
    await using computing = bench.start({ sliceInstantsMax: 8 });
    computing.wake();
    await bench.drained();
    const expected = series(0, 30, (t) => (t < 10 ? t / 4 : t < 20 ? t + (t < 12 ? 10 : 20) : (t - 25) * 20));
    expect(await bench.stored(100)).toEqual(expected);
    const rounded = (value: number) => Math.sign(value) * Math.round(Math.abs(value)) + 0;
    expect(await bench.stored(101)).toEqual(expected.map(([t, value]) => [t, rounded(value)]));
    expect(await bench.stored(102)).toEqual(expected.map(([t, value]) => [t, value === 0 ? 0 : 1]));
    expect(await bench.run(runId(1))).toMatchObject({ instants: 90 });
  });

  test('looks back: as of an instant, into windows, and to the value before', async () => {
    await bench.write(1, series(0, 40));
    await bench.write(2, [
      [-50, 1],
      [3, 2],
      [11, 3],
      [12, 4],
      [33, 5],
    ]);
    const level = { key: 2, kind: 'instrument_variable', buffer: 10 } as const;
    const exact = { key: 2, kind: 'instrument_variable' } as const;
    const run = { changes: 5, ranges: all, run: runId(1) };
    const one = (
      key: number,
      expression: string,
      inputs: Parameters<typeof bench.install>[0]['pieces'][number]['inputs'],
    ) => bench.install({ key, pieces: [{ expression, inputs: { x, ...inputs } }] }, run);
    await one(101, 'coalesce(level, -1) + 0 * x', { level });
    await one(102, 'coalesce(exact, -1) + 0 * x', { exact });
    await one(103, 'count(level) + 0 * x', { level });
    await one(104, 'sum(w) + 0 * x', { w: { key: 1, buffer: 3 } });
    await one(105, 'coalesce(previous(exact), -1) + 0 * coalesce(previous(x), 0)', { exact });
    await using computing = bench.start({ sliceInstantsMax: 6 });
    computing.wake();
    await bench.drained();
    const readings = [
      [-50, 1],
      [3, 2],
      [11, 3],
      [12, 4],
      [33, 5],
    ] as const;
    const last = (t: number, from: number, until: number) =>
      readings.findLast(([at]) => at > t - from && at <= t - until)?.[1] ?? -1;
    expect(await bench.stored(101)).toEqual(series(0, 40, (t) => last(t, 10, 0)));
    expect(await bench.stored(102)).toEqual(series(0, 40, (t) => last(t, 1, 0)));
    const count = (t: number) => readings.filter(([at]) => at > t - 10 && at <= t).length;
    expect(await bench.stored(103)).toEqual(series(0, 40, count));
    expect(await bench.stored(104)).toEqual(series(0, 40, (t) => (t < 3 ? (t * (t + 1)) / 2 : 3 * t - 3)));
    expect(await bench.stored(105)).toEqual(series(0, 40, (t) => last(t, 1000, 1)));
  });

  test('deletes results that are missing now, counts them by reason, and what is computed from them follows', async () => {
    await bench.write(1, series(0, 20));
    await using computing = bench.start();
    const run = { changes: 1, ranges: all };
    await bench.install({ key: 101, pieces: [{ expression: 'x', inputs: { x } }] }, { ...run, run: runId(1) });
    const after = { key: 102, pieces: [{ expression: 'isnull(a) + x', inputs: { x, a: { key: 101 } } }] };
    await bench.install(after, { ...run, run: runId(2) });
    computing.wake();
    await bench.drained();
    const changed = {
      key: 101,
      version: 2,
      pieces: [{ start: 2, expression: '1 / (x % 2) + ln(x - 5)', inputs: { x } }],
    };
    await bench.install(changed, { ...run, run: runId(3) });
    computing.wake();
    await bench.drained();
    const has = (t: number) => t % 2 === 1 && t > 5;
    expect(await bench.stored(101)).toEqual(
      series(0, 20)
        .filter(([t]) => has(t))
        .map(([t]) => [t, 1 + Math.log(t - 5)]),
    );
    expect(await bench.stored(102)).toEqual(series(0, 20, (t) => t + (has(t) ? 0 : 1)));
    // 18 in the piece that is left; all 20 results of it have changed, and with them 20 of the next
    expect(await bench.run(runId(3))).toEqual({
      instants: 18 + 20,
      ranges: 1,
      skipped: 0,
      missing: { division_by_zero: 9, domain_error: 2 },
    });
  });

  test('of a constant evaluates the instants of its interval, and what they change', async () => {
    await bench.write(1, series(0, 1000));
    await using computing = bench.start({ sliceInstantsMax: 64 });
    const variable = (version: number, value: number) => ({
      key: 101,
      version,
      pieces: [
        {
          expression: 'if(x % 2 == 0, 0, x * k)',
          inputs: {
            x,
            k: {
              kind: 'constant',
              steps: [
                [0, 1],
                [300, value],
                [500, 3],
              ],
            } as const,
          },
        },
      ],
    });
    await bench.install({
      key: 102,
      pieces: [{ expression: 'a + mean(w)', inputs: { a: { key: 101 }, w: { key: 101, buffer: 5 } } }],
    });
    await bench.install(variable(1, 2), { run: runId(1), ranges: all });
    computing.wake();
    await bench.drained();
    expect(await bench.run(runId(1))).toMatchObject({ instants: 2000 });
    await bench.install(variable(2, 7), { run: runId(2), ranges: [[300, 500]] });
    computing.wake();
    await bench.drained();
    // 200 in the interval, of which every second one has another value: 301 … 499, each of which reaches four minutes on
    expect(await bench.run(runId(2))).toEqual({ instants: 200 + 203, ranges: 1, skipped: 0, missing: {} });
    const k = (t: number) => (t % 2 === 0 ? 0 : t * (t < 300 ? 1 : t < 500 ? 7 : 3));
    expect(await bench.stored(101)).toEqual(series(0, 1000, k));
  });
});

describe('live points', () => {
  test('are computed at once, through a chain, late and corrected ones too', async () => {
    await using computing = bench.start();
    await bench.install({ key: 101, pieces: [{ expression: 'x + y', inputs: { x, y } }] });
    await bench.install({
      key: 102,
      pieces: [{ expression: 'mean(w) + 0 * a', inputs: { a: { key: 101 }, w: { key: 101, buffer: 3 } } }],
    });
    await bench.write(1, series(0, 10));
    await computing.computeLive();
    await bench.drained([0]);
    expect(await bench.stored(101)).toEqual([]);
    await bench.write(2, series(5, 10));
    await computing.computeLive();
    await bench.drained([0]);
    expect(await bench.stored(101)).toEqual(series(5, 10, (t) => 2 * t));
    expect(await bench.stored(102)).toEqual([
      [5, 10],
      [6, 11],
      [7, 12],
      [8, 14],
      [9, 16],
    ]);
    // once the next round begins the one before has told what it computed
    await computing.computeLive();
    bench.computed.length = 0;
    await bench.write(2, [[6, 0]]);
    await bench.write(1, [[20, 1]]);
    await computing.computeLive();
    await bench.drained([0]);
    await computing.computeLive();
    expect(await bench.stored(102)).toEqual([
      [5, 10],
      [6, 8],
      [7, 10],
      [8, 12],
      [9, 16],
    ]);
    // two of the first, three that the window of the second reaches
    expect(bench.computed.reduce((sum, { instants }) => sum + instants, 0)).toBe(5);
  });

  test('do not wait for a recalculation of what they are computed from', async () => {
    await bench.write(1, series(0, 100));
    await using computing = bench.start({ recalculationWorkers: 0 });
    await bench.install({ key: 101, pieces: [{ expression: '2 * x', inputs: { x } }] }, { run: runId(1), ranges: all });
    await bench.install(
      { key: 102, pieces: [{ expression: '1 + a', inputs: { a: { key: 101 } } }] },
      { run: runId(2), ranges: all },
    );
    await bench.write(1, [[100, 100]]);
    await computing.computeLive();
    await bench.drained([0]);
    expect(await bench.stored(102)).toEqual([[100, 201]]);
    await using other = bench.start({ recalculationWorkers: 1 });
    other.wake();
    await bench.drained();
    expect(await bench.stored(102)).toEqual(series(0, 101, (t) => 2 * t + 1));
  });

  test('that reach far are handed over to the lane of recalculations', async () => {
    await using computing = bench.start({ recalculationWorkers: 0, sliceInstantsMax: 50 });
    await bench.install({
      key: 101,
      pieces: [{ expression: 'x + count(w)', inputs: { x, w: { key: 2, buffer: 1000 } } }],
    });
    await bench.write(1, series(0, 200));
    await bench.write(2, [[20, 1]]);
    await computing.computeLive();
    await bench.drained([0]);
    const { rows } = await bench.admin.query({
      text: 'select distinct lane, run_id from observations.dirty',
      values: [],
    });
    expect(rows).toEqual([{ lane: 1, run_id: null }]);
    await using other = bench.start();
    other.wake();
    await bench.drained();
    expect(await bench.stored(101)).toEqual(series(0, 200, (t) => t + (t < 20 ? 0 : 1)));
  });
});
