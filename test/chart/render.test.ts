import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chart, helm, type Manifest, parseManifests, render, renderText } from './helm.js';
import { podsOf } from './pods.js';
import { faultsOfRestricted } from './restricted.js';
import { readValues } from './values-source.js';
import { manifestsOf, variantOf, variants } from './variants.js';

const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

describe.each(variants)('values $name', (variant) => {
  test('H1: lint finds nothing', () => {
    const { code, stdout } = helm('lint', '--strict', chart, ...variant.args);
    expect(stdout).not.toMatch(/WARNING|ERROR/);
    expect(code, stdout).toBe(0);
  });

  test('H1: renders as it did', async () => {
    await expect(renderText(...variant.args)).toMatchFileSnapshot(`snapshots/${variant.name}.yaml`);
  });

  test('H4: renders the same bytes again', () => {
    expect(renderText(...variant.args)).toBe(renderText(...variant.args));
  });

  test('H12: all pods keep to the restricted profile', () => {
    const pods = podsOf(manifestsOf(variant));
    expect(pods.length).toBeGreaterThanOrEqual(9);
    expect(pods.flatMap(faultsOfRestricted)).toEqual([]);
  });

  test('H14: no disruption budget forbids every disruption', () => {
    const manifests = manifestsOf(variant);
    for (const budget of ofKind(manifests, 'PodDisruptionBudget')) {
      const { name } = budget.metadata;
      expect(budget['spec']).toMatchObject({ maxUnavailable: 1 });
      const deployment = ofKind(manifests, 'Deployment').find((one) => one.metadata.name === name);
      const scaler = manifests.find(
        ({ kind, metadata }) => /Autoscaler|ScaledObject/.test(kind) && metadata.name === name,
      );
      const { replicas } = (deployment?.['spec'] ?? {}) as { replicas?: number };
      const { minReplicas, minReplicaCount } = (scaler?.['spec'] ?? {}) as Record<string, number>;
      expect(replicas ?? minReplicas ?? minReplicaCount, name).toBeGreaterThan(1);
    }
  });

  test('H13: a Deployment says replicas exactly when nothing scales it', () => {
    const manifests = manifestsOf(variant);
    const scaled = manifests
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
      .map((manifest) => (manifest['spec'] as { scaleTargetRef: { name: string } }).scaleTargetRef.name);
    for (const deployment of ofKind(manifests, 'Deployment')) {
      const says = (deployment['spec'] as { replicas?: number }).replicas !== undefined;
      expect(says, deployment.metadata.name).toBe(!scaled.includes(deployment.metadata.name));
    }
  });

  test('names are unique, labels complete, and selectors hold nothing that changes', () => {
    const manifests = manifestsOf(variant);
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { kind, metadata } of manifests) {
      const keys = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'];
      const labels = Object.keys(metadata.labels ?? {});
      expect(labels, `${kind}/${metadata.name}`).toEqual(
        expect.arrayContaining(keys.map((key) => `app.kubernetes.io/${key}`)),
      );
    }
    for (const { spec } of ofKind(manifests, 'Deployment') as (Manifest & { spec: object })[]) {
      expect(Object.keys((spec as { selector: { matchLabels: object } }).selector.matchLabels)).toEqual(
        ['name', 'instance', 'component'].map((key) => `app.kubernetes.io/${key}`),
      );
    }
  });
});

test.each(['123', '1e3', 'true', 'weir.prod'])('a release may be called %s', (release) => {
  const { stdout } = helm('template', release, chart, '--namespace', '2024', ...variantOf('monitoring').args);
  for (const { kind, metadata } of parseManifests(stdout)) {
    expect(metadata.namespace, kind).toBe('2024');
    expect(metadata.labels?.['app.kubernetes.io/instance'], kind).toBe(release);
    // of a Service it has to be a label
    if (kind === 'Service') expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  }
});

test('every object has the labels and annotations that are asked for', () => {
  for (const variant of variants) {
    const shared = ['--set', 'commonLabels.team=water,commonAnnotations.cost=low'];
    for (const { kind, metadata } of render(...variant.args, ...shared)) {
      expect(metadata, `${variant.name}: ${kind}/${metadata.name}`).toMatchObject({
        labels: { team: 'water' },
        annotations: { cost: 'low' },
      });
    }
  }
});

test('H5: the oldest and the newest Kubernetes get the same objects', () => {
  for (const variant of variants) {
    const [oldest, newest] = ['1.29.0', '1.37.0'].map((version) =>
      renderText(...variant.args, '--kube-version', version),
    );
    expect(oldest).toBe(newest);
  }
  expect(helm('template', 'weir', chart, '--kube-version', '1.28.0').stderr).toContain(
    'requires kubeVersion: >=1.29.0-0',
  );
});

test('H2: renders as a part of another chart, whatever that one shares with it', () => {
  const parent = mkdtempSync(join(tmpdir(), 'weir-chart-'));
  try {
    mkdirSync(join(parent, 'charts'));
    cpSync(chart, join(parent, 'charts/weir'), { recursive: true });
    writeFileSync(join(parent, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 1.0.0\n');
    writeFileSync(join(parent, 'values.yaml'), 'global: { anything: 1, imageRegistry: mirror.example }\n');
    const { code, stdout, stderr } = helm('template', 'parent', parent);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('image: mirror.example/weir:0.1.0');
  } finally {
    rmSync(parent, { recursive: true });
  }
});

describe('H9: migrations', () => {
  const job = (...args: readonly string[]): Manifest => {
    const found = ofKind(render(...args), 'Job')[0];
    if (found === undefined) throw new Error('no Job');
    return found;
  };

  test('are a plain Job that nothing has to order', () => {
    expect(job().metadata.annotations).toBeUndefined();
    expect(job(...variantOf('migration-hook').args).metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    });
  });

  test('are another Job for another image or setting, since a Job cannot change', () => {
    const names = [[], ['image.tag=next'], ['migrations.resources.limits.memory=1Gi'], ['commonLabels.team=a']].map(
      (settings) => job(...settings.flatMap((setting) => ['--set', setting])).metadata.name,
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^weir-migrate-0-1-0-[0-9a-f]{8}$/);
  });

  test('have a login of their own', () => {
    const keys = podsOf(render()).flatMap(({ component, spec }) =>
      spec.containers.flatMap(({ env = [] }) =>
        env.flatMap(({ name, valueFrom }) =>
          name === 'DATABASE_URL' ? [[component, valueFrom?.secretKeyRef?.key] as const] : [],
        ),
      ),
    );
    expect(keys).toHaveLength(8);
    for (const [component, key] of keys) expect(key).toBe(component === 'migrations' ? 'migration-url' : 'url');
  });
});

test('the bundled servers come from the registry that all images come from, with its secrets', () => {
  const shared = ['--set', 'global.imageRegistry=mirror.example:5000', '--set', 'global.imagePullSecrets[0]=login'];
  const pods = podsOf(render(...variantOf('bundled').args, ...shared));
  expect(pods.length).toBeGreaterThan(10);
  for (const { owner, spec } of pods) {
    expect(spec.imagePullSecrets, owner).toEqual([{ name: 'login' }]);
    for (const { image } of [...spec.containers, ...(spec.initContainers ?? [])])
      expect(image, owner).toMatch(/^mirror\.example:5000\/(library\/)?[a-z]+:/);
  }
});

test('alerts link to where the runbook is read, and nowhere when that is not told', () => {
  const linksOf = (...args: readonly string[]): string[] => renderText(...args).match(/runbook_url: .*/g) ?? [];
  for (const { name, args } of variants) {
    for (const link of linksOf(...args)) expect(link, name).toMatch(/^runbook_url: https:\/\/[^ ]+#weir[a-z]+$/);
  }
  expect(linksOf(...variantOf('monitoring').args).length).toBeGreaterThan(20);
  const enabled = ['--set', 'prometheusRule.enabled=true'];
  expect(renderText(...enabled)).toContain('alert: WeirAbsent');
  expect(linksOf(...enabled)).toEqual([]);
  // the default of releases before, as `helm upgrade --reuse-values` brings it along
  expect(linksOf(...enabled, '--set', 'prometheusRule.runbookUrl=docs/runbook.md')).toEqual([]);
});

test('the values to begin with for work watch all that can be watched', () => {
  const watching = (name: string): string[] =>
    manifestsOf(variantOf(name))
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'monitoring')
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  expect(watching('production')).toEqual(watching('monitoring'));
  const sections = readValues().filter(({ description }) => /Prometheus operator|Grafana/.test(description));
  expect(watching('monitoring')).toHaveLength(sections.length);
});

test('H15: nothing names a user or group where the platform gives them', () => {
  expect(renderText(...variantOf('openshift').args)).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
  expect(renderText()).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
});

describe('notes', () => {
  const notesOf = (...args: readonly string[]): string => {
    const { stdout } = helm('install', 'weir', chart, '--dry-run=client', '--namespace', 'weir', ...args);
    return stdout.slice(stdout.indexOf('NOTES:'));
  };

  test('end with a curl, and say what is not for production', () => {
    const notes = notesOf(...variantOf('bundled').args);
    expect(notes.trim().split('\n').at(-1)).toMatch(/^ {2}curl .*\$URL\/dev-api\/v1\/permissions"$/);
    expect(notes).toContain('NOT FOR PRODUCTION: bundled.enabled');
    expect(notes).toContain('NOT FOR PRODUCTION: gateway has less than 2 pods');
    expect(notes).toContain('NOT FOR PRODUCTION: without rpc.tls.existingSecret');
    expect(notesOf(...variantOf('production').args)).not.toContain('NOT FOR PRODUCTION');
  });

  test('name the Secrets that must be there', () => {
    expect(notesOf()).toContain('weir-database (url, migration-url)');
    const keys = ['access', 'dashboards', 'ingestion', 'observations', 'parsers', 'processor', 'variables', 'owner'];
    const named = keys.map((name) => `${name}-uri`).join(', ');
    expect(notesOf(...variantOf('production').args)).toContain(`pg (${named})`);
  });

  test('S7: name those that share a login of PostgreSQL', () => {
    const shared =
      'access, dashboards, ingestion, observations, parsers, processor, variables use PostgreSQL by one login';
    expect(notesOf()).toContain(`NOT FOR PRODUCTION: ${shared}`);
    expect(notesOf(...variantOf('bundled').args)).toContain(`NOT FOR PRODUCTION: ${shared}`);
    expect(notesOf('--set', 'database.urlKeys.access=access-url')).toContain(': dashboards, ingestion, observations');
    // one key that is named for two is one login all the same
    const two = [
      'access=a',
      'dashboards=a',
      'ingestion=i',
      'observations=o',
      'parsers=p',
      'processor=r',
      'variables=v',
    ];
    const args = two.flatMap((key) => ['--set', `database.urlKeys.${key}`]);
    expect(notesOf(...args)).toContain('NOT FOR PRODUCTION: access, dashboards use PostgreSQL by one login');
    expect(notesOf(...args, '--set', 'database.urlKeys.dashboards=null')).not.toContain('by one login');
  });
});

test('a load balancer lets in whom it should, and keeps the addresses of callers', () => {
  const given = [
    'service.type=LoadBalancer',
    'service.externalTrafficPolicy=Local',
    'service.loadBalancerSourceRanges={192.0.2.0/24}',
  ];
  const services = ofKind(render(...given.flatMap((one) => ['--set', one])), 'Service');
  const open = services.filter(({ spec }) => JSON.stringify(spec).includes('Local'));
  expect(open.map(({ metadata, spec }) => [metadata.name, spec])).toMatchObject([
    [
      'weir-gateway',
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', loadBalancerSourceRanges: ['192.0.2.0/24'] },
    ],
  ]);
});

test('KEDA may take processors over from the autoscaler by CPU, and nothing else that scales', () => {
  const mayTakeOver = ({ metadata }: Manifest) =>
    metadata.annotations?.['validations.keda.sh/hpa-ownership'] === 'false';
  const scaled = ['gateway', 'access', 'processor'].flatMap((role) => ['--set', `${role}.autoscaling.enabled=true`]);
  const scalers = ofKind(render(...scaled), 'HorizontalPodAutoscaler');
  expect(scalers).toHaveLength(3);
  expect(scalers.filter(mayTakeOver).map(({ metadata }) => metadata.name)).toEqual(['weir-processor']);
});
