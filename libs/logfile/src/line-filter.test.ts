import { expect, test } from 'vitest';
import { configurationOf } from '../test/configuration.js';
import { readLogfile } from '../test/read-logfile.js';
import { day, read } from '../test/read-text.js';

test('comments and filtered lines are skipped, raw and from the first row of data on', () => {
  const text = `#c\ntime,h\n#${day(1)},1\n${day(1)},1 \n${day(2)},"2"\n${day(3)},3;\n # not a comment\n`;
  const { points, errors, counts } = read(text, {
    header: { row_number: 2 },
    comment_prefix: '#',
    skip_rows_matching: ['"2"$', '3;'],
  });
  expect(points).toEqual([`4 ${day(1)} 1`]);
  expect(errors).toEqual(['7:1 bad_timestamp']);
  expect(counts.skipped).toBe(3);
});

/** A row of many columns: 160 of them take some 600 bytes, 16,000 some 90,000. */
const wide = (columns: number, last: string) =>
  `${day(1)},${Array.from({ length: columns }, (_, at) => at).join()},${last}`;

test.each<[string, string, number, number[]]>([
  ['short lines', '^.{0,400}$', 160, []],
  ['lines with an end', 'BA[D]$', 100_000, [3]],
  ['lines with an end after many columns', '^([^,]*,){161}BAD$', 160, [3]],
  ['lines without a certain character', '^[^G]*$', 16_000, [3]],
])('%s are found however long they are', (_, pattern, columns, skipped) => {
  const text = `time,h\n${wide(columns, 'GOOD')}\n${wide(columns, 'BAD')}\n`;
  const { errors } = read(text, { skip_rows_matching: [pattern] });
  expect([2, 3].filter((line) => !errors.some((error) => error.startsWith(`${line}:`)))).toEqual(skipped);
  expect(errors.filter((error) => !error.includes('too_many_cells'))).toEqual([]);
});

test('the header is found by its end, and after lines that begin as it does', () => {
  const names = Array.from({ length: 6000 }, (_, at) => `column ${at}`).join();
  const text = `time,${names},x\ntime,${names},h\n${day(1)}${','.repeat(6001)}1\n`;
  expect(read(text, { header: { matching: '^time,.*[,]h$' } }).points).toEqual([`3 ${day(1)} 1`]);
});

const hostile = '(a?){300}a{300}z';
const slow = (length: number) => `z${'a'.repeat(length)}`;

test('what is too long to be searched is an error, and no guess', () => {
  const text = `time,h,t\n${day(1)},1,${slow(100_000)}\n#,${slow(100_000)}\n${day(2)},2,"${slow(5000)}\n"\n${day(3)},3,\n`;
  const { points, errors } = read(text, { skip_rows_matching: [hostile], comment_prefix: '#' });
  expect([points, errors]).toEqual([[`6 ${day(3)} 3`], ['2 line_too_long', '4 line_too_long']]);
  const search = () => read(`title\n${slow(100_000)}\ntime,h\n`, { header: { matching: hostile } });
  expect(search).toThrow(/^Line 2 may be the header, .* can be searched for in lines of at most \d+ bytes\./);
});

test('a slow expression gives way to others after each line of some length', async () => {
  const configuration = configurationOf({ skip_rows_matching: [hostile] });
  const bytes = Buffer.from(`time,h,t\n${`${day(1)},1,${slow(1000)}\n`.repeat(12)}`);
  let turns = 0;
  let isReading = true;
  const others = (async () => {
    for (; isReading; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  const counts = [];
  for await (const batch of readLogfile(bytes, { configuration, fileName: 'x' })) counts.push(batch.counts);
  isReading = false;
  await others;
  expect(counts.at(-1)).toMatchObject({ points: 12, errors: 0, skipped: 0 });
  expect(turns).toBeGreaterThanOrEqual(12);
}, 20_000);
