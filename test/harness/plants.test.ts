import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { changes } = (await import(new URL('./plants.mjs', import.meta.url).href)) as {
  changes: Record<string, [line: string, instead: string][]>;
};

test.each(Object.entries(changes))('a fault is planted where the code is: %s', (file, lines) => {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  for (const [line] of lines) expect(source.split(line), line).toHaveLength(2);
});
