import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { PointsPacker, unpackPoints } from '@weir/points';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rows } from './arrange-rows.js';
import { toOutcomes } from './outcomes.js';
import type { Resolution, ValueType } from './resolution.js';
import { type BatchToSettle, settle } from './settle.js';

interface TestPoint {
  readonly atUs: number;
  readonly values: Readonly<Record<string, number>>;
}

const far = observationInstantEndUs;

/** Variables by their names: `v<key>` decimal, `i<key>` integer, `b<key>` boolean, `x…` not there. */
function resolve(name: string): Resolution {
  const types: Record<string, ValueType> = { v: 'decimal', i: 'integer', b: 'boolean' };
  const valueType = types[name.slice(0, 1)];
  if (valueType === undefined) return { kind: 'no_variable', code: 'variable_not_found' };
  return {
    kind: 'series',
    variableKey: Number(name.slice(1)),
    variableId: name,
    instrumentId: 'i',
    valueType,
    generation: 1,
  };
}

function batch(id: number, points: readonly TestPoint[], given: Partial<BatchToSettle> = {}): BatchToSettle {
  const packer = new PointsPacker();
  for (const { atUs, values } of points) {
    packer.beginPoint(atUs, undefined, 'Logger');
    for (const [name, value] of Object.entries(values)) packer.addValue(name, value);
  }
  const unpacked = unpackPoints(packer.pack());
  const resolutions = unpacked.channels.map(({ variableName }) => resolve(variableName));
  const names = { id, publicId: `batch ${id}`, epoch: 0 };
  return {
    ...names,
    projectId: 'p',
    points: unpacked,
    indexes: [],
    tried: new Map(),
    resolutions,
    variableIds: Buffer.alloc(0),
    instantMaxUs: far,
    ...given,
  };
}

function toRows({ count, variableKeys, instantsUs, values, admitted }: Rows): number[][] {
  return Array.from({ length: count }, (_, i) => [
    variableKeys[i] as number,
    instantsUs[i] as number,
    values[i] as number,
    admitted[i] as number,
  ]);
}

describe('settle', () => {
  test('sorts rows by variable and instant and stamps them by admission', () => {
    const { rows, series } = settle([
      batch(7, [
        { atUs: 30, values: { v2: 1, v1: 2 } },
        { atUs: 20, values: { v2: 3 } },
      ]),
    ]);
    expect(toRows(rows)).toEqual([
      [1, 30, 2, 7 * 1024],
      [2, 20, 3, 7 * 1024 + 1],
      [2, 30, 1, 7 * 1024],
    ]);
    expect(series).toEqual([
      { variableKey: 2, projectId: 'p', instrumentId: 'i', generation: 1 },
      { variableKey: 1, projectId: 'p', instrumentId: 'i', generation: 1 },
    ]);
  });

  test('the last admitted value stands and the others are superseded', () => {
    const settlement = settle([
      batch(2, [{ atUs: 1, values: { v1: 20 } }]),
      batch(1, [{ atUs: 1, values: { v1: 10, v2: 5 } }]),
    ]);
    expect(toRows(settlement.rows)).toEqual([
      [1, 1, 20, 2048],
      [2, 1, 5, 1024],
    ]);
    expect(toOutcomes(settlement, []).map(({ batch: { id }, deviations }) => ({ id, deviations }))).toEqual([
      { id: 1, deviations: [{ index: 0, state: 'succeeded', variables: [{ position: 0, outcome: 'superseded' }] }] },
      { id: 2, deviations: [] },
    ]);
  });

  test('rows that lose in the database are superseded too, and asking twice adds nothing', () => {
    const settlement = settle([batch(1, [{ atUs: 1, values: { v2: 1, v1: 1, x: 1 } }])]);
    const expected = [
      {
        index: 0,
        state: 'partially_succeeded',
        variables: [
          { position: 0, outcome: 'superseded' },
          { position: 2, outcome: 'failed', code: 'variable_not_found' },
        ],
      },
    ];
    expect(toOutcomes(settlement, [1])[0]?.deviations).toEqual(expected);
    expect(toOutcomes(settlement, [1])[0]?.deviations).toEqual(expected);
  });

  test('a point of which some values are stored already has not failed, though its instrument is not to be had', () => {
    const gone: Resolution = { kind: 'no_instrument', code: 'instrument_archived' };
    const points = [{ atUs: 1, values: { x: 1, v1: 2 } }];
    const settlement = settle([batch(1, points, { resolutions: [gone, resolve('v1')] })]);
    expect(toRows(settlement.rows)).toEqual([[1, 1, 2, 1024]]);
    const lost = { position: 0, outcome: 'failed', code: 'instrument_archived' };
    expect(toOutcomes(settlement, [])[0]?.deviations).toEqual([
      { index: 0, state: 'partially_succeeded', variables: [lost] },
    ]);
    const none = settle([batch(1, points, { resolutions: [gone, gone] })]);
    expect(toOutcomes(none, [])[0]?.deviations).toEqual([
      { index: 0, state: 'failed', code: 'instrument_archived', variables: [] },
    ]);
  });

  test('values that are stored already are left as they are', () => {
    const points = [{ atUs: 1, values: { v1: 1, x: 2, v3: 3 } }];
    const settlement = settle([batch(1, points, { indexes: [0], tried: new Map([[0, new Set([1, 2])]]) })]);
    expect(toRows(settlement.rows)).toEqual([[3, 1, 3, 1024]]);
    const lost = { position: 1, outcome: 'failed', code: 'variable_not_found' };
    expect(toOutcomes(settlement, [])[0]?.deviations).toEqual([
      { index: 0, state: 'partially_succeeded', variables: [lost] },
    ]);
  });

  test('a batch that comes twice does not supersede itself', () => {
    const twice = batch(1, [{ atUs: 1, values: { v1: 1 } }]);
    const settlement = settle([twice, twice]);
    expect(settlement.rows.count).toBe(1);
    expect(toOutcomes(settlement, []).every(({ deviations }) => deviations.length === 0)).toBe(true);
  });

  test('only the indexes asked are settled, in whatever order they are given', () => {
    const points = [1, 2, 3].map((value) => ({ atUs: 5, values: { v1: value } }));
    const { rows } = settle([batch(1, points, { indexes: [1, 0] })]);
    expect(toRows(rows)).toEqual([[1, 5, 2, 1025]]);
  });

  test('a point whose instrument cannot be had fails whole', () => {
    const resolutions: Resolution[] = [{ kind: 'no_instrument', code: 'site_not_found' }];
    const settlement = settle([batch(1, [{ atUs: 1, values: { v1: 1 } }], { resolutions })]);
    expect(settlement.rows.count).toBe(0);
    expect(toOutcomes(settlement, [])[0]?.deviations).toEqual([
      { index: 0, state: 'failed', code: 'site_not_found', variables: [] },
    ]);
  });

  test.each([
    ['i1', 1.5],
    ['b1', 2],
    ['b1', -1],
    ['v1', Number.NaN],
    ['v1', Number.POSITIVE_INFINITY],
  ])('%s does not take %d', (name, value) => {
    const settlement = settle([batch(1, [{ atUs: 1, values: { [name]: value } }])]);
    expect(toOutcomes(settlement, [])[0]?.deviations).toEqual([
      {
        index: 0,
        state: 'failed',
        code: 'value_type_mismatch',
        variables: [{ position: 0, outcome: 'failed', code: 'value_type_mismatch' }],
      },
    ]);
  });

  test('integers, booleans and -0 are stored', () => {
    const { rows } = settle([batch(1, [{ atUs: 1, values: { i1: -3, b2: 1, b3: 0, v4: -0 } }])]);
    expect([...rows.values]).toEqual([-3, 1, 0, 0]);
  });

  test.each([
    [observationInstantMinUs - 1, far, true],
    [observationInstantMinUs, far, false],
    [observationInstantEndUs - 1, far, false],
    [observationInstantEndUs, far * 2, true],
    [1001, 1000, true],
    [1000, 1000, false],
    [Number.NaN, far, true],
  ])('instant %d with %d as the greatest is out of range: %s', (atUs, instantMaxUs, isOut) => {
    const settlement = settle([batch(1, [{ atUs, values: { v1: 1 } }], { instantMaxUs })]);
    expect(settlement.rows.count).toBe(isOut ? 0 : 1);
    expect(toOutcomes(settlement, [])[0]?.deviations.map(({ code }) => code)).toEqual(
      isOut ? ['timestamp_out_of_range'] : [],
    );
  });
});

/** What the database does with rows: the later admission stands. */
function store(table: Map<string, number[]>, rows: Rows): void {
  for (const row of toRows(rows)) {
    const key = `${row[0]}/${row[1]}`;
    const stored = table.get(key);
    if (stored === undefined || (stored[3] as number) < (row[3] as number)) table.set(key, row);
  }
}

test('points give the same rows in any order and in any merges: those of the last admission', () => {
  const point = fc.record({
    atUs: fc.nat(4),
    values: fc.dictionary(fc.constantFrom('v1', 'v2', 'i3', 'x'), fc.constantFrom(-0, 0, 0.5, 1, 2), { minKeys: 1 }),
  });
  const batches = fc.array(fc.array(point, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(batches, fc.array(fc.nat(5)), fc.infiniteStream(fc.nat(2)), (given, order, sizes) => {
      const model = new Map<string, number[]>();
      given.forEach((points, i) => {
        points.forEach(({ atUs, values }, index) => {
          for (const [name, value] of Object.entries(values)) {
            const resolved = resolve(name);
            if (resolved.kind !== 'series' || (resolved.valueType === 'integer' && !Number.isInteger(value))) continue;
            const key = resolved.variableKey;
            model.set(`${key}/${atUs}`, [key, atUs, value + 0, (i + 1) * 1024 + index]);
          }
        });
      });
      // every batch at least once, some more often, in the order and the merges drawn
      const all = given.map((points, i) => batch(i + 1, points));
      const deliveries = [...order.map((i) => all[i % all.length] as BatchToSettle), ...all];
      const table = new Map<string, number[]>();
      while (deliveries.length > 0) {
        store(table, settle(deliveries.splice(0, 1 + (sizes.next().value ?? 0))).rows);
      }
      expect(Object.fromEntries(table)).toEqual(Object.fromEntries(model));
    }),
  );
});

test('every value is stored, superseded or failed, exactly once', () => {
  const point = fc.record({
    atUs: fc.nat(2),
    values: fc.dictionary(fc.constantFrom('v1', 'v2', 'i3', 'x', 'y'), fc.constantFrom(0.5, 1), { minKeys: 1 }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(point, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (given) => {
      const settlement = settle(given.map((points, i) => batch(i + 1, points)));
      const outcomes = toOutcomes(settlement, []);
      const stored = new Set(
        Array.from({ length: settlement.rows.count }, (_, row) => JSON.stringify(settlement.originOf(row))),
      );
      outcomes.forEach(({ deviations }, number) => {
        given[number]?.forEach(({ values }, index) => {
          const run = deviations.find((deviation) => deviation.index === index);
          Object.keys(values).forEach((_, position) => {
            const fault = run?.variables.filter((variable) => variable.position === position) ?? [];
            const isStored = stored.has(JSON.stringify({ batch: number, index, position }));
            expect(fault.length + (isStored ? 1 : 0)).toBe(1);
          });
          const failed = run?.variables.filter(({ outcome }) => outcome === 'failed').length ?? 0;
          const whole = Object.keys(values).length;
          expect(run?.state ?? 'succeeded').toBe(
            failed === 0 ? 'succeeded' : failed === whole ? 'failed' : 'partially_succeeded',
          );
        });
      });
    }),
  );
});
