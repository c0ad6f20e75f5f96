import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const pages = ['README.md', 'charts/weir/README.md', ...docs.map((path) => join('docs', path))].filter((path) =>
  path.endsWith('.md'),
);

test('every link of a page to a file of the repository leads to one', () => {
  expect(pages.length).toBeGreaterThan(30);
  const links = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ page, target })),
  );
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ page, target }) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});
