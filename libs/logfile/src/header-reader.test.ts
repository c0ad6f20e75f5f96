import { expect, test } from 'vitest';
import { configurationOf } from '../test/configuration.js';
import { day, read } from '../test/read-text.js';
import { inChunks, readWhole } from '../test/read-whole.js';

test('a header block that appears again is skipped, one of several lines too', () => {
  const head = '"a\nb",x\ntime,h\nunit,"u\nv"\n';
  const { points, counts, errors } = read(`${head}${day(1)},1\n${head}${day(2)},2\n`, {
    header: { row_number: 3 },
    first_data_row: 6,
  });
  expect(points).toEqual([`6 ${day(1)} 1`, `12 ${day(2)} 2`]);
  expect([errors, counts.skipped]).toEqual([[], 5]);
});

test.each([
  ['many lines', Array.from({ length: 1500 }, (_, at) => `line ${at}`)],
  ['long lines', Array.from({ length: 70 }, (_, at) => `${at}${'x'.repeat(1000)}`)],
  ['one line again and again', Array.from({ length: 5000 }, () => 'x'.repeat(1000))],
  ['a line that is very long', ['x'.repeat(1_000_000)]],
])('a header is recognized when it appears again after %s', (_, preamble) => {
  const columns = Array.from({ length: 9000 }, (__, at) => `column ${at}`).join();
  const header = `time,h,${columns}`;
  const text = [...preamble, header, `${day(1)},1`, header, `${day(2)},2`].join('\n');
  const { points, errors, counts } = read(`${text}\n`, { header: { matching: '^time' } });
  expect([points.length, errors, counts.skipped]).toEqual([2, [], 1]);
});

test('the lines closest to the data are those that are recognized', () => {
  const before = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
  const text = [...before, 'time,h', before[1500], before[999], before[1001], `${day(1)},1`].join('\n');
  const { errors, counts } = read(`${text}\n`, { header: { row_number: 2001 } });
  expect([errors, counts.skipped]).toEqual([['2003:1 bad_timestamp'], 2]);
});

test('a header of several lines comes before the data, whatever its first line is', () => {
  const { points } = read(`time,h,"a\nb"\n${day(1)},1,\n`);
  expect(points).toEqual([`3 ${day(1)} 1`]);
});

test('lines before the header are not parsed for quotes, and neither is a header that does not close its own', () => {
  expect(read(`"title\ntime,h,"x\n${day(1)},1\n`, { header: { row_number: 2 } }).points).toEqual([`3 ${day(1)} 1`]);
});

test('a header may be found by its content', () => {
  const { points } = read(`a\nb\n#Time:\ntime,h\n${day(1)},1\n`, { header: { matching: '^t[ij]me,' } });
  expect(points).toEqual([`5 ${day(1)} 1`]);
});

test.each([1_100_000, 2_200_000, 5_000_000])('a line of %i bytes before the data takes no other with it', (length) => {
  const long = 'x'.repeat(length);
  const pieces = (text: string, size: number, changes: object) =>
    readWhole(inChunks(Buffer.from(text), size), configurationOf({ ...changes })).points.map(({ line }) => line);
  const afterHeader = `time,h\n${long}\r\n${day(1)},1\n${day(2)},2\n`;
  const beforeHeader = `${long}\ntime,h\n${day(1)},1\n${day(2)},2\n`;
  for (const size of [65_536, 1_500_000, 6_000_000]) {
    expect(pieces(afterHeader, size, { first_data_row: 3 })).toEqual([3, 4]);
    expect(pieces(beforeHeader, size, { header: { row_number: 2 } })).toEqual([3, 4]);
    expect(pieces(beforeHeader, size, { header: { matching: '^time' } })).toEqual([3, 4]);
  }
  expect(() => pieces(`time,h\n${long}`, 65_536, { header: { row_number: 4 } })).toThrow('the file has 2.');
});
