import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './helm.js';

test('docs/operations/chart.md names a test for each check, and that test has its id', () => {
  const page = readFileSync(join(root, 'docs/operations/chart.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (H\d+) \| (.*)$/gm)].map(([, id = '', row = '']) => ({ id, row }));
  const chart = [1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26];
  expect(rows.map(({ id }) => id)).toEqual(chart.map((number) => `H${number}`));
  for (const { id, row } of rows) {
    const files = [...row.matchAll(/`(test\/[\w/.-]+)`/g)].map((match) => match[1] ?? '');
    expect(files.length, id).toBeGreaterThan(0);
    for (const file of files) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(readFileSync(join(root, file), 'utf8'), `${file} has no test of ${id}`).toMatch(new RegExp(`'${id}: `));
    }
  }
});
