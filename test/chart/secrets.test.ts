import { describe, expect, test } from 'vitest';
import { declaredSettings } from './declared-settings.js';
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

  test.each(['1e304b013568f97ba8704690a40', '12345678', '5k', 'true'])(
    'the bundled NATS reads %s as a password',
    (hex) => {
      const secret = render('--set', 'bundled.enabled=true', '--set-string', `bundled.password=${hex}`)
        .filter(({ kind }) => kind === 'Secret')
        .at(0) as Manifest & { stringData: Record<string, string> };
      // without quotes it takes digits for a number, and does not start
      expect(secret.stringData['nats.conf']).toContain(`{ user: weir, password: "${hex}" }`);
    },
  );

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
        // each process may have a login of its own
        const of = name === 'DATABASE_URL' ? `DATABASE_URL of ${component}` : name;
        references.set(of, (references.get(of) ?? new Set()).add(`${secret}/${key}`));
      }
    }
    for (const [name, places] of references) expect([...places], name).toHaveLength(1);
    expect([...references.keys()]).toEqual(
      expect.arrayContaining(['DATABASE_URL of access', 'REDIS_URL', 'NATS_URL', 'CURSOR_KEYS']),
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

test('no container of Weir has a Secret as files that its settings do not name', () => {
  let mounted = 0;
  for (const variant of variants) {
    for (const { owner, spec } of podsOf(manifestsOf(variant))) {
      const secrets = (spec.volumes ?? []).flatMap(({ name, secret }) => (secret === undefined ? [] : [name]));
      for (const { image, env = [], volumeMounts = [] } of containersOf(spec)) {
        if (!/weir[:@]/.test(image)) continue;
        const paths = volumeMounts.flatMap(({ name, mountPath }) => (secrets.includes(name) ? [mountPath] : []));
        mounted += paths.length;
        const unnamed = paths.filter((path) => !env.some(({ value = '' }) => value.startsWith(`${path}/`)));
        expect(unnamed, `${variant.name}: ${owner}`).toEqual([]);
        // a volume that no container mounts is in the pod all the same
        expect(paths, `${variant.name}: ${owner}`).toHaveLength(secrets.length);
      }
    }
  }
  expect(mounted).toBeGreaterThan(0);
});

/** Where each Deployment and Job has its URL of PostgreSQL from: the key, after the Secret where that is not the given one. */
function databaseKeysOf(manifests: readonly Manifest[], given: string): Record<string, string> {
  const keys = podsOf(manifests).flatMap(({ component, spec }) =>
    containersOf(spec).flatMap(({ env = [] }) =>
      env.flatMap(({ name, valueFrom }) => {
        if (name !== 'DATABASE_URL' || valueFrom?.secretKeyRef === undefined) return [];
        const { name: secret, key } = valueFrom.secretKeyRef;
        return [[component, secret === given ? key : `${secret}/${key}`]];
      }),
    ),
  );
  return Object.fromEntries(keys);
}

describe('S7: each process reads the URL of its own login', () => {
  const users = Object.entries(declaredSettings).flatMap(([role, { databaseUrl }]) => (databaseUrl ? [role] : []));
  const keysOf = (key: (role: string) => string): Record<string, string> =>
    Object.fromEntries(users.map((role) => [role, key(role)]));

  test('where its key is named', () => {
    const keys = databaseKeysOf(manifestsOf(variantOf('production')), 'pg');
    expect(keys).toEqual({ ...keysOf((role) => `${role}-uri`), migrations: 'owner-uri' });
  });

  test('and that of a login for all where it is not, as in releases that had no other', () => {
    const all = { ...keysOf(() => 'url'), migrations: 'migration-url' };
    expect(databaseKeysOf(render(), 'weir-database')).toEqual(all);
    const one = render('--set', 'database.urlKeys.parsers=parsers-url');
    expect(databaseKeysOf(one, 'weir-database')).toEqual({ ...all, parsers: 'parsers-url' });
    // what `helm upgrade --reuse-values` brings along knows nothing of these keys
    expect(databaseKeysOf(render('--set', 'database.urlKeys=null'), 'weir-database')).toEqual(all);
  });

  test('and KEDA that of ingestion, whose queue it looks at', () => {
    const { args } = variantOf('keda');
    const manifests = render(...args, '--set', 'database.urlKeys.ingestion=ingestion-url');
    const authentication = manifests.find(({ kind }) => kind === 'TriggerAuthentication');
    expect(authentication?.['spec']).toEqual({
      secretTargetRef: [{ parameter: 'connection', name: 'weir-database', key: 'ingestion-url' }],
    });
  });
});
