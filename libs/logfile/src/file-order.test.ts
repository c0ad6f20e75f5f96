import { formatInstant } from '@weir/kit/time';
import { describe, expect, test } from 'vitest';
import { configurationOf } from '../test/configuration.js';
import { readWhole } from '../test/read-whole.js';

const berlin = { columns: [{ header_name: 'time' }], input_format: 'yyyy-MM-dd HH:mm', timezone: 'Europe/Berlin' };

/** Instants of 29 October 2023 in UTC, or codes. */
function read(
  times: readonly string[],
  changes: Record<string, unknown> = {},
  cells = (time: string) => `2023-10-29 ${time},1`,
) {
  const configuration = configurationOf({ ...changes, timestamp: { ...berlin, ...(changes['timestamp'] as object) } });
  const { points, errors } = readWhole([Buffer.from(`time,h,v,i\n${times.map(cells).join('\n')}\n`)], configuration);
  const all = [
    ...points.map(({ line, atUs }) => [line, formatInstant(atUs).slice(11, 16)] as const),
    ...errors.map(({ line, code }) => [line, code] as const),
  ];
  return all.sort(([a], [b]) => a - b).map(([, result]) => result);
}
const forward = ['01:45', '02:00', '02:30', '02:59', '02:00', '02:30', '03:00'];
const utc = ['23:45', '00:00', '00:30', '00:59', '01:00', '01:30', '02:00'];

test('forward: the first of a pair is the earlier', () => {
  expect(read(forward)).toEqual(utc);
  expect(read(['01:00', '02:00', '02:00', '03:00'])).toEqual(['23:00', '00:00', '01:00', '02:00']);
});

test('backward: the first of a pair is the later', () => {
  expect(read(forward.toReversed(), { timestamp_order: 'newest_first' })).toEqual(utc.toReversed());
  expect(read(['03:00', '02:00', '02:00', '01:00'], { timestamp_order: 'newest_first' })).toEqual([
    '02:00',
    '01:00',
    '00:00',
    '23:00',
  ]);
});

test('without an order it cannot be told', () => {
  const ambiguous = 'ambiguous_local_time';
  expect(read(['02:00', '03:00'], { timestamp_order: 'unordered' })).toEqual([ambiguous, '02:00']);
  expect(read(['02:00'], { timestamp_order: 'unordered', timestamp: { ambiguous: 'later' } })).toEqual(['01:00']);
});

test('the same night again begins anew', () => {
  expect(read([...forward, ...forward])).toEqual([...utc, ...utc]);
});

test('each instrument has an order of its own', () => {
  const changes = { instrument: { name_source: 'column', name_column: { header_name: 'i' } } };
  const rows = ['A 02:00', 'B 02:00', 'A 02:30', 'B 02:30', 'A 02:00', 'B 02:00'];
  const cells = (row: string) => `2023-10-29 ${row.slice(2)},1,,${row[0]}`;
  expect(read(rows, changes, cells)).toEqual(['00:00', '00:00', '00:30', '00:30', '01:00', '01:00']);
});

describe('an instrument that is both that of the row and one of mappings', () => {
  const mapping = (header_name: string, instrument_name?: string) => ({
    source_column: { header_name },
    variable_name: header_name,
    instrument_name,
  });
  const times = ['01:30', '02:00', '02:30', '02:00', '02:30', '03:00'];
  const rows = times.map((time, at) => `2023-10-29 ${time},${at},${10 * at},A`).join('\n');
  const byColumn = { name_source: 'column', name_column: { header_name: 'i' } };

  test.each([
    ['of the row first', { name_source: 'base_name' }, [mapping('h'), mapping('v', 'A')]],
    ['of the row last', { name_source: 'base_name' }, [mapping('v', 'A'), mapping('h')]],
    ['named by a column', byColumn, [mapping('v', 'B'), mapping('h'), mapping('v', 'A')]],
  ])('%s: its values of one row have one instant', (_, instrument, variable_mappings) => {
    const data_layout = { layout: 'one_data_point_per_row', variable_mappings };
    const configuration = configurationOf({ timestamp: berlin, instrument, data_layout });
    const { points } = readWhole([Buffer.from(`time,h,v,i\n${rows}\n`)], configuration, { fileName: 'A.csv' });
    const expected = ['23:30', '00:00', '00:30', '01:00', '01:30', '02:00'];
    expect(points.map(({ atUs }) => formatInstant(atUs).slice(11, 16))).toEqual(
      expected.flatMap((instant) => variable_mappings.map(() => instant)),
    );
  });
});

test('in the long form the variables of one instant do not follow one another', () => {
  const changes = {
    data_layout: {
      layout: 'one_value_per_row',
      variable_column: { header_name: 'v' },
      value_column: { header_name: 'h' },
    },
  };
  const rows = ['a 02:00', 'b 02:00', 'a 02:30', 'b 02:30', 'a 02:00', 'b 02:00', 'a 03:00'];
  const cells = (row: string) => `2023-10-29 ${row.slice(2)},1,${row[0]}`;
  expect(read(rows, changes, cells)).toEqual(['00:00', '00:00', '00:30', '00:30', '01:00', '01:00', '02:00']);
});

test('rows without a value keep their place in the order', () => {
  const cells = (time: string) => `2023-10-29 ${time},${time === '02:59' ? '' : 1}`;
  expect(read(['02:59', '02:00'], {}, cells)).toEqual(['01:00']);
});

test('a local time that does not exist is an error, or shifted', () => {
  const march = (time: string) => `2025-03-30 ${time},1`;
  expect(read(['01:59', '02:30', '03:00'], {}, march)).toEqual(['00:59', 'nonexistent_local_time', '01:00']);
  expect(read(['02:30'], { timestamp: { nonexistent: 'shift_forward' } }, march)).toEqual(['01:30']);
});
