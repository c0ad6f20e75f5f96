import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

const ids = [...idsOf('S', 20), ...idsOf('G', 8), ...idsOf('J', 13), ...idsOf('L', 6)];

function idsOf(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
}

/** The rows of all tables of a page, as cells. */
function rowsOf(page: string): string[][] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const rows = lines.filter((line) => /^\| [^-]/.test(line));
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The files that a cell names: as links from `docs/`, or as they stand. */
function filesIn(cell: string): string[] {
  const link = /\[[^\]]+\]\(([^)]+)\)/g;
  const linked = [...cell.matchAll(link)].map(([, target = '']) => normalize(join('docs', target)));
  const named = [...cell.replaceAll(link, '').matchAll(/[\w-]+\/[\w./-]+\.ts\b/g)].map(([name]) => name);
  return [...linked, ...named].filter((file) => /\.(ts|mjs)$/.test(file));
}

/** Whether a title in a file begins with an id, alone or with others. */
function hasTitle(file: string, id: string): boolean {
  return new RegExp(`['"\`](?:[A-Z][0-9]+, )*${id}(?:, [A-Z][0-9]+)*: `).test(readFileSync(join(root, file), 'utf8'));
}

const promised = ['docs/guarantees.md', 'docs/security.md'].flatMap(rowsOf).flatMap((cells) => {
  const id = cells.slice(0, -1).find((cell) => ids.includes(cell));
  return id === undefined ? [] : [{ id, files: filesIn(cells.at(-1) ?? '') }];
});

test('every check has its row', () => {
  expect(ids.filter((id) => !promised.some((row) => row.id === id))).toEqual([]);
});

test.each(promised)('$id is shown by tests that are there and bear its name', ({ id, files }) => {
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(files.filter((file) => hasTitle(file, id))).not.toEqual([]);
});

describe('the ten risks', () => {
  const risks = rowsOf('docs/security.md').filter(([risk = '']) => /^[0-9]+ /.test(risk));

  test('are ten', () => {
    expect(risks.map(([risk = '']) => Number.parseInt(risk, 10))).toEqual(
      Array.from({ length: 10 }, (_, at) => at + 1),
    );
  });

  test.each(risks.map((cells) => ({ risk: cells[0] ?? '', shown: cells.at(-1) ?? '' })))(
    '$risk: each is met by tests that are there',
    ({ shown }) => {
      const named = [...shown.matchAll(/\bS[0-9]+\b/g)].map(([id]) => id);
      const files = filesIn(shown);
      expect(named.length + files.length).toBeGreaterThan(0);
      expect(named.filter((id) => !ids.includes(id))).toEqual([]);
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    },
  );
});
