import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8');
/** What the runbook looks for in logs, a line each with the words; what is a member of a line or a reader's own left out. */
const searches = [...runbook.matchAll(/^kubectl .* logs (.*) \| grep (?:-E )?'([^']+)'/gm)].map(
  ([, from = '', words = '']) => ({
    from,
    words: words.split('|').filter((word) => !/^("|THE-|\d)/.test(word)),
  }),
);
/** Messages that come once, when something begins: long before somebody looks. */
const once = ['not ready', 'readiness', 'redis is', 'NATS is', 'NATS cannot', 'in the background', 'is not known'];

async function sources(): Promise<string> {
  const folders = ['gateway', 'libs/kit', ...(await readdir(join(root, 'services'))).map((name) => `services/${name}`)];
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(root, folder, 'src'), { recursive: true });
      const own = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
      return await Promise.all(own.map((file) => readFile(join(root, folder, 'src', file), 'utf8')));
    }),
  );
  return texts.flat().join('\n');
}

test('O6: what the runbook looks for in a log is what some process writes', async () => {
  const all = await sources();
  const words = searches.flatMap((search) => search.words);
  expect(words.length).toBeGreaterThan(10);
  for (const word of words) expect(all, word).toContain(word);
});

test('what is logged once is looked for in the whole log', () => {
  const told = searches.filter(({ words }) => words.some((word) => once.includes(word)));
  for (const word of once) expect(told.flatMap(({ words }) => words)).toContain(word);
  for (const { from, words } of told) expect(from, words.join()).not.toContain('--since');
});
