import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvCell, csvFrame, type LineFrame, ndjsonFrame, writeLines } from './export-lines.js';
import { formatInstants } from './format-instants.js';

const series = { variableId: '01920000-0000-7000-8000-000000000001', variableName: 'Level "A", é', unit: 'm' };
const observation = fc.tuple(
  fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs - 1 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const observations = fc.array(observation, { maxLength: 50 });
const seed = 6;
const linesOf = (instantsUs: Float64Array, values: Float64Array, frame: LineFrame): string =>
  [...writeLines(instantsUs, values, frame, 300)].join('');

describe('writeLines', () => {
  test('writes objects that say what was given, whatever the instant and value', () => {
    fc.assert(
      fc.property(observations, (given) => {
        const [instantsUs, values] = [0, 1].map((i) => Float64Array.from(given, (pair) => pair[i] as number)) as [
          Float64Array,
          Float64Array,
        ];
        const lines = linesOf(instantsUs, values, ndjsonFrame(series)).split('\n');
        expect(lines.pop()).toBe('');
        const timestamps = JSON.parse(formatInstants(instantsUs)) as string[];
        expect(lines.map((line) => JSON.parse(line))).toEqual(
          given.map(([, value], i) => ({
            timestamp: timestamps[i],
            variable_id: series.variableId,
            variable_name: series.variableName,
            unit: series.unit,
            value: value === 0 ? 0 : value,
          })),
        );
      }),
      { seed },
    );
  });

  test('writes lines of CSV', () => {
    const lines = linesOf(Float64Array.of(0, -1), Float64Array.of(1.5, 1e-7), csvFrame(series));
    const named = `${series.variableId},"Level ""A"", é",m`;
    expect(lines).toBe(`1970-01-01T00:00:00.000Z,${named},1.5\r\n1969-12-31T23:59:59.999999Z,${named},1e-7\r\n`);
  });

  test('a series without a unit has an empty cell, and null in JSON', () => {
    const one = [Float64Array.of(0), Float64Array.of(1)] as const;
    const bare = { variableId: 'i', variableName: 'n' };
    expect(linesOf(...one, csvFrame(bare))).toBe('1970-01-01T00:00:00.000Z,i,n,,1\r\n');
    expect(JSON.parse(linesOf(...one, ndjsonFrame(bare)))).toMatchObject({ unit: null });
  });
});

test.each([
  ['Level', 'Level'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+1,2', '"\'+1,2"'],
  ['-x', "'-x"],
  // alone they are no formula, and `-` is a usual unit of what has none
  ['-', '-'],
  ['%', '%'],
  ['', ''],
])('the cell of %j is %j', (given, cell) => {
  expect(csvCell(given)).toBe(cell);
});
