import { findMigrations } from '@weir/kit/migrations';
import { createEmptyDatabase } from '@weir/kit/testing';
import { describe, expect, test } from 'vitest';
import { root, weir, weirJson } from './weir.js';

interface Results {
  readonly items: readonly {
    readonly service: string;
    readonly version: number;
    readonly applied: readonly string[];
  }[];
}

describe('weir migrate', () => {
  test('H7: brings up the schemas of all services, twice at once and again', async () => {
    await using database = await createEmptyDatabase();
    const env = { DATABASE_URL: database.url };
    const results = await Promise.all([weirJson<Results>(['migrate'], env), weirJson<Results>(['migrate'], env)]);
    const services = (await findMigrations(root)).map((set) => set.service);
    for (const { items } of results) expect(items.map((item) => item.service)).toEqual(services);
    for (const service of services) {
      const applied = results.map(({ items }) => items.find((item) => item.service === service)?.applied.length ?? 0);
      expect(Math.min(...applied)).toBe(0);
      expect(Math.max(...applied)).toBeGreaterThan(0);
    }
    const again = await weir(['migrate'], env);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(/^access\t[0-9]+\t-$/m);
  });

  test('of a database that is not there is 1', async () => {
    const { code, stderr } = await weir(['migrate'], { DATABASE_URL: 'postgres://weir:secret@127.0.0.1:1/weir' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^weir: Cannot connect to the database: /);
    expect(stderr).not.toContain('secret');
  });
});
