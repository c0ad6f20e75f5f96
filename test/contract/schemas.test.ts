import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findMigrations } from '@weir/kit/migrations';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

test('every service waits for its newest migration', async () => {
  for (const { service, directory } of await findMigrations(root)) {
    const newest = (await readdir(directory)).sort().at(-1) ?? '';
    const source = await readFile(join(root, 'services', service, 'src/store/schema.ts'), 'utf8');
    const [, name, version] = /requiredSchema\('(\w+)', (\d+)\)/.exec(source) ?? [];
    expect([name, version], service).toEqual([service, String(Number.parseInt(basename(newest), 10))]);
  }
});
