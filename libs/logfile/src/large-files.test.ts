import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { configurationOf } from '../test/configuration.js';
import { openLogfile, type RowError } from './index.js';

/** Reads chunks and keeps sums. */
function count(chunks: Iterable<Uint8Array>, changes: Record<string, unknown>) {
  const reader = openLogfile({ configuration: configurationOf(changes), fileName: 'file.csv' });
  const iterator = chunks[Symbol.iterator]();
  const errors: RowError[] = [];
  const sums = new Map<string, number>();
  const ends: number[] = [];
  for (let step = reader.next(); step.kind !== 'end'; step = reader.next()) {
    if (step.kind === 'bytes') {
      const next = iterator.next();
      if (next.done) reader.end();
      else reader.push(next.value);
    } else if (step.kind === 'batch') {
      const { points } = step.batch;
      errors.push(...step.batch.errors);
      for (const [at, variable] of points.variables.entries()) {
        const name = points.variableNames[variable] as string;
        sums.set(name, (sums.get(name) ?? 0) + (points.values[at] as number));
      }
      if (points.count > 0) ends.push(points.atUs[0] as number, points.atUs[points.count - 1] as number);
    } else if (step.kind === 'zone') reader.giveZone(step.instrumentName, undefined);
  }
  return { counts: reader.counts, errors, sums, firstUs: ends[0], lastUs: ends.at(-1) };
}

const text = (us: number): string => new Date(us / 1000).toISOString().slice(0, 19).replace('T', ' ');

test('3 bad rows of 100,000: 99,997 points, and 3 errors that name line and column', () => {
  const bad = new Map([
    [17, '2015-01-01 99:00:00,1,2'],
    [50_000, '2015-01-01 00:00:00,1,--'],
    [99_999, '2015-01-01 00:00:00,1,2,3'],
  ]);
  const startUs = Date.UTC(2015, 0, 1) * 1000;
  const rows = Array.from({ length: 100_000 }, (_, i) => bad.get(i) ?? `${text(startUs + i * 60e6)},${i},${i / 8}`);
  const { counts, errors } = count([Buffer.from(`time,g,h\n${rows.join('\n')}\n`)], {
    timestamp: { input_format: 'yyyy-MM-dd HH:mm:ss' },
  });
  expect(counts).toEqual({ rows: 100_000, points: 99_997, errors: 3, missing: 0, skipped: 0 });
  expect(errors.map(({ line, column, columnName, code, raw }) => [line, column, columnName, code, raw])).toEqual([
    [19, 1, 'time', 'bad_timestamp', bad.get(17)],
    [50_002, 3, 'h', 'not_a_number', bad.get(50_000)],
    [100_001, 4, null, 'too_many_cells', bad.get(99_999)],
  ]);
  for (const { message } of errors) expect(message).toMatch(/correct|Check/);
}, 30_000);

/** The file of the recipe very-long.recipe.txt, with as many rows. */
function* veryLong(rowCount: number): Generator<Uint8Array> {
  yield Buffer.from('"TOA5","S"\r\n"TIMESTAMP","RECORD","A","B"\r\n"TS","RN","",""\r\n"","","Smp","Smp"\r\n');
  const startMs = Date.UTC(2015, 0, 1);
  for (let from = 0; from < rowCount; from += 1440) {
    const date = new Date(startMs + from * 60_000).toISOString().slice(0, 10);
    let rows = '';
    for (let i = from; i < Math.min(from + 1440, rowCount); i++) {
      const minute = i - from;
      const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;
      if (i === rowCount / 2) rows += `${'\0'.repeat(64)}\r\n`;
      rows += `"${date} ${time}",${i},${(i % 1000) / 8},${i % 7 === 0 ? '"NAN"' : i}${i === rowCount - 1 ? '' : '\r\n'}`;
    }
    yield Buffer.from(rows);
  }
}
const toa5 = {
  header: { row_number: 2 },
  first_data_row: 5,
  timestamp: { columns: [{ header_name: 'TIMESTAMP' }], input_format: 'yyyy-MM-dd HH:mm:ss' },
  missing_value_markers: ['NAN'],
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: ['A', 'B'].map((header_name) => ({
      source_column: { header_name },
      variable_name: header_name,
    })),
  },
};

test('very-long.recipe.txt, a thirtieth of it', () => {
  const { counts, errors, sums, firstUs, lastUs } = count(veryLong(100_000), toa5);
  expect(counts).toEqual({ rows: 100_001, points: 100_000, errors: 1, missing: 14_286, skipped: 0 });
  expect(errors).toMatchObject([{ line: 50_005, column: null, code: 'nul_in_row' }]);
  expect(sums.get('A')).toBe(6_243_750);
  const startUs = Date.UTC(2015, 0, 1) * 1000;
  expect([firstUs, lastUs]).toEqual([startUs, startUs + 99_999 * 60e6]);
}, 60_000);

/** What is held when nothing can be collected, in bytes. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('memory does not grow with the file', () => {
  const levels: number[] = [];
  // what fills tables most: ever new names of variables, thousands of instruments, text in quotes
  const chunkOf = (turn: number): Buffer =>
    Buffer.from(
      Array.from({ length: 250 }, (_, row) => {
        const at = turn * 250 + row;
        return `2020-01-01T00:00Z,${at},i${at % 9000},"v${at}","${'x'.repeat(40)}\n"\n`;
      }).join(''),
    );
  const configuration = configurationOf({
    instrument: { name_source: 'column', name_column: { header_name: 'i' } },
    data_layout: {
      layout: 'one_value_per_row',
      variable_column: { header_name: 'v' },
      value_column: { header_name: 'h' },
    },
  });
  const reader = openLogfile({ configuration, fileName: 'file.csv' });
  reader.push(Buffer.from('time,h,i,v,text\n'));
  for (let turn = 0; turn < 240; ) {
    const step = reader.next();
    if (step.kind !== 'bytes') continue;
    reader.push(chunkOf(turn++));
    if (turn % 40 !== 0) continue;
    levels.push(heldBytes());
  }
  expect(reader.counts.points).toBeGreaterThan(59_000);
  const [early = 0, ...later] = levels.slice(1);
  expect(Math.max(...later) - early).toBeLessThan(6e6);
}, 60_000);

describe('many variables whose names begin with those of many instruments', () => {
  const width = 1000;
  const configuration = configurationOf({
    instrument: { name_source: 'column', name_column: { column_number: 2 }, prefix_variable_names: true },
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: Array.from({ length: width }, (_, n) => ({
        source_column: { column_number: 3 },
        variable_name: `${'v'.repeat(150)}${n}`,
        // a row may have 256 variables of an instrument; those of the first are of that which the row names
        ...(n >= 250 && { instrument_name: `other ${Math.floor(n / 250)}` }),
      })),
    },
  });
  /** The largest list of names that a batch refers to, and what was held at the end. */
  const readAll = (value: string, rows: number) => {
    const reader = openLogfile({ configuration, fileName: 'file.csv' });
    const before = heldBytes();
    reader.push(Buffer.from('time,i,h\n'));
    for (let row = 0; row < rows; row++) reader.push(Buffer.from(`2020-01-01T00:00:00Z,instrument ${row},${value}\n`));
    let names = 0;
    for (let step = reader.next(); step.kind !== 'bytes'; step = reader.next()) {
      if (step.kind === 'batch') names = Math.max(names, step.batch.points.variableNames.length);
    }
    return { names, counts: reader.counts, heldBytes: heldBytes() - before };
  };

  test('take no memory for values that are missing', () => {
    const { counts, heldBytes: held } = readAll('', 1000);
    expect(counts).toMatchObject({ rows: 1000, points: 0, missing: 1000 * width });
    expect(held).toBeLessThan(20e6);
  });

  test('make batches of a bounded number of names', () => {
    const { counts, names } = readAll('1', 300);
    expect(counts).toMatchObject({ rows: 300, errors: 0, missing: 0 });
    expect(names).toBeLessThan(20_000 + 2 * width);
  });
});
