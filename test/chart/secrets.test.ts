import { describe, expect, test } from 'vitest';
import type { Manifest } from './helm.js';
import { render, renderText } from './helm.js';
import { containersOf, podsOf } from './pods.js';
import { manifestsOf, variantOf, variants } from './variants.js';

const password = 'forTestsOnly';

describe('H10: secrets stand in Secrets alone', () => {
  test.each(variants)('values $name', (variant) => {
    const others = manifestsOf(variant).filter(({ kind }) => kind !== 'Secret');
    const text = JSON.stringify(others);
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/:\/\/[^"/ ]*:[^"/ ]+@/);
    for (const { spec } of podsOf(others)) {
      for (const { env = [], name } of containersOf(spec)) {
        const inPlain = env.filter(
          (variable) => /URL$|KEYS?$|PASSWORD/.test(variable.name) && variable.valueFrom === undefined,
        );
        expect(
          inPlain.map((variable) => variable.name).filter((variable) => !/^(WEIR|PUBLIC)_URL$/.test(variable)),
          name,
        ).toEqual([]);
      }
    }
  });

  test('none is made where others keep them', () => {
    for (const name of ['production', 'keda', 'gateway-api']) {
      expect(manifestsOf(variantOf(name)).filter(({ kind }) => kind === 'Secret')).toEqual([]);
    }
  });

  test('the bundled servers are given the same password and key at every rendering', () => {
    const { args } = variantOf('bundled');
    expect(renderText(...args)).toBe(renderText(...args));
    const secret = render(...args).find(({ kind }) => kind === 'Secret') as Manifest & {
      stringData: Record<string, string>;
    };
    expect(Buffer.from(secret.stringData['cursor-keys'] ?? '', 'base64')).toHaveLength(32);
  });
});

describe('H11: whoever needs a secret reads the same one', () => {
  test.each(variants)('values $name', (variant) => {
    const manifests = manifestsOf(variant);
    const references = new Map<string, Set<string>>();
    for (const { component, spec } of podsOf(manifests)) {
      for (const { name, valueFrom } of containersOf(spec).flatMap(({ env = [] }) => env)) {
        if (valueFrom?.secretKeyRef === undefined) continue;
        const { name: secret, key } = valueFrom.secretKeyRef;
        const of = name === 'DATABASE_URL' && component === 'migrations' ? 'DATABASE_URL of migrations' : name;
        references.set(of, (references.get(of) ?? new Set()).add(`${secret}/${key}`));
      }
    }
    for (const [name, places] of references) expect([...places], name).toHaveLength(1);
    expect([...references.keys()]).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'NATS_URL', 'CURSOR_KEYS']),
    );
    const made = manifests.find(({ kind }) => kind === 'Secret') as (Manifest & { stringData: object }) | undefined;
    if (made === undefined) return;
    for (const place of [...references.values()].flatMap((places) => [...places])) {
      const [name, key = ''] = place.split('/');
      expect(name).toBe(made.metadata.name);
      expect(Object.keys(made.stringData)).toContain(key);
    }
  });
});
