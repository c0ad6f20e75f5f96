import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chart, helm, type Manifest, render } from './helm.js';
import { isNeeded } from './values-schema.js';
import { readValues, type Value } from './values-source.js';
import { manifestsOf, type Variant, variants } from './variants.js';

const values = readValues();
const directory = mkdtempSync(join(tmpdir(), 'weir-values-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The value at a path; undefined where there is none. */
function at(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], tree);
}

/** A file of values in which some are left empty, as a person leaves `key:` behind. */
function leavingEmpty(left: readonly Value[]): string[] {
  const tree: Record<string, unknown> = {};
  for (const { path } of left) {
    const inside = path.slice(0, -1).reduce((inner, key) => {
      inner[key] ??= {};
      return inner[key] as Record<string, unknown>;
    }, tree);
    inside[path.at(-1) ?? ''] = null;
  }
  const file = join(directory, 'empty-values.yaml');
  writeFileSync(file, JSON.stringify(tree));
  return ['--values', file];
}

/** Values that may be left empty beside those that a variant gives, outermost ones alone. */
function emptyBeside({ args }: Variant): Value[] {
  const given: unknown = args[1] === undefined ? {} : parse(readFileSync(args[1], 'utf8'));
  const free = values.filter((value) => !isNeeded(value, values) && at(given, value.path) === undefined);
  const isInside = (path: readonly string[]) =>
    free.some((other) => path.join('.').startsWith(`${other.path.join('.')}.`));
  return free.filter(({ path }) => !isInside(path));
}

/** Whether a value is a list or a map with something in it, which is nothing when it is left empty. */
const isFull = ({ default: unset }: Value): boolean =>
  typeof unset === 'object' && unset !== null && JSON.stringify(unset).length > 2;

/** Objects without what tells one Job of migrations from the next, which is made of the values as they are written. */
const withoutHash = (manifests: readonly Manifest[]): string =>
  JSON.stringify(manifests, null, 1).replace(/(-migrate-[0-9a-z-]+)-[0-9a-f]{8}/g, '$1');

test.each(variants)('H2: what has an empty default may be left empty: $name', (variant) => {
  const left = emptyBeside(variant).filter((value) => value.isSection || !isFull(value));
  expect(left.length).toBeGreaterThan(50);
  expect(withoutHash(render(...variant.args, ...leavingEmpty(left)))).toBe(withoutHash(manifestsOf(variant)));
});

test.each(variants)('H2: a list or map that is left empty is nothing: $name', (variant) => {
  const scaled = (role: string) =>
    manifestsOf(variant).some(
      ({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name.endsWith(role),
    );
  const left = emptyBeside(variant).filter(
    (value) => isFull(value) && !value.isSection && !scaled(`-${value.path[0]}`),
  );
  expect(left.length).toBeGreaterThan(5);
  expect(JSON.stringify(render(...variant.args, ...leavingEmpty(left)))).not.toMatch(/:null|<nil>|%!/);
});

test('H2: anything else that is left empty is refused by its name', () => {
  const needed = values.filter((value) => isNeeded(value, values));
  expect(needed.map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining([
      'gateway',
      'gateway.replicas',
      'pods.spread',
      'networkPolicy.enabled',
      'nats.streamPrefix',
    ]),
  );
  for (const left of [needed.filter(({ isSection }) => !isSection), needed.filter(({ path }) => path.length === 1)]) {
    const { code, stderr } = helm('template', 'weir', chart, ...leavingEmpty(left));
    expect(code).not.toBe(0);
    for (const { path } of left) {
      const place = path
        .slice(0, -1)
        .map((key) => `/${key}`)
        .join('');
      const line = stderr.split('\n').find((text) => text.includes(`at '${place}': missing propert`));
      expect(line, path.join('.')).toContain(`'${path.at(-1)}'`);
    }
  }
});
