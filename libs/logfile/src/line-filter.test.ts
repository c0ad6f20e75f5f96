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

test('a slow expression gives way to others, and does not take longer with longer lines', async () => {
  const configuration = configurationOf({ skip_rows_matching: ['(a?){300}a{300}z'] });
  const slow = `z${'a'.repeat(100_000)}`;
  const bytes = Buffer.from(`time,h,t\n${`${day(1)},1,${slow}\n`.repeat(12)}`);
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
  expect(turns).toBeGreaterThanOrEqual(2);
}, 20_000);
