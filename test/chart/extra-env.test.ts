import { describe, expect, test } from 'vitest';
import { declaredSettings, roles } from './declared-settings.js';
import { chart, helm, type Manifest, parseManifests, render } from './helm.js';
import { type Container, containersOf, type EnvironmentVariable, podsOf } from './pods.js';
import { readValues } from './values-source.js';
import { manifestsOf, type Variant, variantOf, variants } from './variants.js';

/** What Node and OpenTelemetry read: an operator's to set. */
const ofOperators = /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|OTEL_[A-Z_]+)$/;
const paths = readValues().map(({ path }) => path.join('.'));

function containers(manifests: readonly Manifest[]): Container[] {
  return podsOf(manifests).flatMap(({ spec }) => containersOf(spec));
}

/** The containers of Weir, which extraEnv is for. */
function weirOf(manifests: readonly Manifest[]): Container[] {
  return containers(manifests).filter(({ image }) => /weir[:@]/.test(image));
}

function namesOf({ env = [] }: Container): string[] {
  return env.map(({ name }) => name);
}

function expectNoNameTwice(manifests: readonly Manifest[]): void {
  for (const container of containers(manifests)) {
    const names = namesOf(container);
    expect(names, container.name).toEqual([...new Set(names)]);
  }
}

function extraEnv(of: string, ...env: readonly EnvironmentVariable[]): string[] {
  return ['--set-json', `${of}.extraEnv=${JSON.stringify(env)}`];
}

/** Whether a value that a message names is there. */
function isThere(path: string): boolean {
  const [, role = '', name = ''] = /^(\w+)\.settings\.(\w+)$/.exec(path) ?? [];
  return paths.includes(path) || Object.values(declaredSettings[role] ?? {}).some(({ env }) => env === name);
}

/** Gives all pods each name that containers of a variant have. */
function giveEachName(variant: Variant): void {
  const names = new Set(weirOf(manifestsOf(variant)).flatMap(namesOf));
  for (const name of names) {
    const args = [...variant.args, ...extraEnv('pods', { name, value: '--own' })];
    const { code, stdout, stderr } = helm('template', 'weir', chart, ...args);
    expect(code === 0, name).toBe(ofOperators.test(name));
    if (code === 0) {
      const manifests = parseManifests(stdout);
      expectNoNameTwice(manifests);
      for (const { env = [], ...container } of weirOf(manifests)) {
        expect(env.find((one) => one.name === name)?.value, container.name).toMatch(/(^| )--own$/);
      }
      continue;
    }
    expect(stderr).toContain(`pods.extraEnv has ${name}, which the chart sets itself in the container `);
    const instead = /take it away, and set (\S+) /.exec(stderr)?.[1];
    // where things are is the chart's alone to say
    if (instead === undefined) expect(name).toMatch(/_ADDRESS$|^WEIR_URL$/);
    else expect(isThere(instead), `${name}: ${instead}`).toBe(true);
  }
}

describe('H2: a name stands once in a container, as server-side apply wants it', () => {
  test.each(variants)('values $name', (variant) => expectNoNameTwice(manifestsOf(variant)));

  test('also a name of the chart that extraEnv has: it wins, or is refused with what to set instead', () => {
    // one has certificates, traces and a Secret of the smoke test, the other calls that are plain
    for (const name of ['production', 'defaults']) giveEachName(variantOf(name));
  });

  test('flags of Node that Helm does not see are refused', () => {
    const valueFrom = { configMapKeyRef: { name: 'flags', key: 'node' } };
    const given = `pods.extraEnv=${JSON.stringify([{ name: 'NODE_OPTIONS', valueFrom }])}`;
    expect(helm('template', 'weir', chart, '--set-json', given).stderr).toContain('give it by value');
  });

  test.each(roles)('also one that all pods have and %s has again', (role) => {
    const both = [
      ...extraEnv('pods', { name: 'A', value: 'of all' }, { name: 'NODE_OPTIONS', value: '--trace-gc' }),
      ...extraEnv(
        role,
        { name: 'A', value: 'own' },
        { name: 'A', value: 'last' },
        { name: 'NODE_OPTIONS', value: '-r' },
      ),
    ];
    const manifests = render(...both);
    expectNoNameTwice(manifests);
    for (const { name, env = [] } of weirOf(manifests)) {
      const { A, NODE_OPTIONS = '' } = Object.fromEntries(env.map((one) => [one.name, one.value]));
      expect(A, name).toBe(name === role ? 'last' : 'of all');
      expect(NODE_OPTIONS, name).toMatch(name === role ? /^--max-old-space-size=\d+.* -r$/ : / ?--trace-gc$/);
    }
    const { stderr } = helm('template', 'weir', chart, ...extraEnv(role, { name: 'DRAIN_MS', value: '1' }));
    expect(stderr).toContain(`${role}.extraEnv has DRAIN_MS, which the chart sets itself in the container ${role}`);
  });
});
