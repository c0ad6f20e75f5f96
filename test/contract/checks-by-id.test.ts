import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

const pages = join(root, 'docs/operations');
const wanted = Object.entries({ H: 26, O: 8, D: 4 }).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
);

/** Where the benchmark declares what it measures. */
async function isMeasured(id: string): Promise<boolean> {
  const folder = join(root, 'test/bench/src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.some((text) => text.includes(`id: '${id}'`));
}

/** Whether what a page names makes a check: a file that has its id, or a command. */
async function makes(by: string, id: string): Promise<boolean> {
  if (by.startsWith('./dev bench --only')) return by.endsWith(` ${id}`) && (await isMeasured(id));
  if (by.startsWith('./dev ')) return true;
  return new RegExp(`\\b${id}\\b`).test(await readFile(join(root, by), 'utf8'));
}

test('every check of operations has its row, and is made by each of what the row names', async () => {
  const told: string[] = [];
  for (const page of await readdir(pages)) {
    const text = await readFile(join(pages, page), 'utf8');
    for (const [, ids = '', by = ''] of text.matchAll(/^\| ((?:[HOD]\d+(?:, )?)+) \| [^|]+ \| ([^|]+) \|/gm))
      for (const id of ids.split(', ')) {
        told.push(id);
        const named = [...by.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
        expect(named.length, id).toBeGreaterThan(0);
        for (const one of named) expect(await makes(one, id), `${id} by ${one}`).toBe(true);
      }
  }
  expect([...new Set(told)].sort()).toEqual(wanted.sort());
});
