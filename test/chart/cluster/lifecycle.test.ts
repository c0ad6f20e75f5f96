import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellBlocks } from '../../harness/shell-blocks.js';
import { type Answer, chart, type Manifest, render, root } from '../helm.js';
import { podsOf } from '../pods.js';
import { variantOf } from '../variants.js';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster;
let kinds: string;

beforeAll(async () => {
  cluster = await startCluster();
  const named = cluster.kubectl(['api-resources', '--namespaced', '--verbs=list,create', '--output=name']).stdout;
  // the server itself advises against asking for Endpoints, which nothing makes here
  kinds = named
    .trim()
    .split('\n')
    .filter((kind) => kind !== 'endpoints')
    .join(',');
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

function succeeded({ code, stdout, stderr }: Answer): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** What a namespace holds, as "Kind/name", but for Helm's own records. */
function objectsIn(namespace: string): string[] {
  const { items } = JSON.parse(succeeded(cluster.kubectl(['-n', namespace, 'get', kinds, '--output=json']))) as {
    items: Manifest[];
  };
  const own = items.filter(
    ({ kind, metadata }) => !(kind === 'Secret' && metadata.name.startsWith('sh.helm.release.')),
  );
  return own.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort();
}

/** What a release of values should hold: all that is rendered but hooks. */
function expected(namespace: string, ...args: readonly string[]): string[] {
  const made = render(...args, '--namespace', namespace);
  const kept = made.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
  return kept.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort();
}

function deploymentsIn(namespace: string): Manifest[] {
  const text = succeeded(cluster.kubectl(['-n', namespace, 'get', 'deployments', '--output=json']));
  return (JSON.parse(text) as { items: Manifest[] }).items;
}

function imagesIn(namespace: string): string[] {
  const images = podsOf(deploymentsIn(namespace)).flatMap(({ spec }) => spec.containers.map(({ image }) => image));
  return [...new Set(images)];
}

function replicasOf(namespace: string, role: string): number | undefined {
  const found = deploymentsIn(namespace).find(({ metadata }) => metadata.name === `weir-${role}`);
  return (found?.['spec'] as { replicas?: number } | undefined)?.replicas;
}

test('install, upgrade of values and of the chart, rollback and uninstall leave what they should', () => {
  const namespace = 'lifecycle';
  const { args } = variantOf('bundled');
  const helm = (...more: readonly string[]): string => succeeded(cluster.helm(...more, '--namespace', namespace));
  const next = mkdtempSync(join(tmpdir(), 'weir-chart-'));
  try {
    helm('install', 'weir', chart, '--create-namespace', ...args);
    const first = objectsIn(namespace);
    expect(first).toEqual(expected(namespace, ...args));

    const tagged = [...args, '--set', 'image.tag=next'];
    helm('upgrade', 'weir', chart, ...tagged);
    expect(objectsIn(namespace)).toEqual(expected(namespace, ...tagged));
    expect(imagesIn(namespace)).toEqual(['weir:next']);
    // a Job cannot change: this upgrade has one of its own, and the first one is gone
    expect(objectsIn(namespace).filter((name) => name.startsWith('Job/'))).not.toEqual(
      first.filter((name) => name.startsWith('Job/')),
    );

    cpSync(chart, next, { recursive: true });
    const about = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
    writeFileSync(join(next, 'Chart.yaml'), about.replace(/^(version|appVersion): .*$/gm, '$1: 0.2.0'));
    helm('upgrade', 'weir', next, ...args);
    expect(imagesIn(namespace)).toEqual(['weir:0.2.0']);
    expect(objectsIn(namespace).filter((name) => name.startsWith('Job/'))).toEqual([
      expect.stringMatching(/^Job\/weir-migrate-0-2-0-[0-9a-f]{8}$/),
    ]);

    helm('rollback', 'weir', '1');
    expect(objectsIn(namespace)).toEqual(first);
    expect(imagesIn(namespace)).toEqual(['weir:0.1.0']);

    helm('uninstall', 'weir');
    expect(objectsIn(namespace)).toEqual([]);
  } finally {
    rmSync(next, { recursive: true });
  }
});

test('what operators take over goes with the release too', () => {
  const namespace = 'operators';
  const args = ['keda', 'monitoring', 'gateway-api'].flatMap((name) => variantOf(name).args);
  succeeded(cluster.helm('install', 'weir', chart, '--namespace', namespace, '--create-namespace', ...args));
  const kindsThere = new Set(objectsIn(namespace).map((name) => name.split('/')[0]));
  for (const kind of ['ScaledObject', 'TriggerAuthentication', 'ServiceMonitor', 'PrometheusRule', 'HTTPRoute']) {
    expect(kindsThere).toContain(kind);
  }
  succeeded(cluster.helm('uninstall', 'weir', '--namespace', namespace));
  expect(objectsIn(namespace)).toEqual([]);
});

test('H13: an upgrade leaves the number of pods to whatever scales them', () => {
  const namespace = 'scaled';
  const helm = (...more: readonly string[]): string => succeeded(cluster.helm(...more, '--namespace', namespace));
  const scaled = ['--set', 'access.autoscaling.enabled=true,access.autoscaling.minReplicas=3'];
  helm('install', 'weir', chart, '--create-namespace', ...scaled);
  succeeded(cluster.kubectl(['-n', namespace, 'scale', 'deployment/weir-access', '--replicas=4']));
  helm('upgrade', 'weir', chart, ...scaled, '--set', 'pods.logLevel=debug');
  expect(replicasOf(namespace, 'access')).toBe(4);
});

test('autoscaling is switched on as upgrade.md says, without losing a pod', () => {
  const namespace = 'weir';
  const helm = (...more: readonly string[]): string => succeeded(cluster.helm(...more, '--namespace', namespace));
  helm('install', 'weir', chart, '--create-namespace', '--set', 'access.replicas=3,variables.replicas=3');
  const blocks = shellBlocks(readFileSync(join(root, 'docs/operators/upgrade.md'), 'utf8'));
  const handover = blocks.find((block) => block.includes('--field-manager'));
  expect(handover).toContain('weir-access');
  const [, command = '', input = ''] = /kubectl (.*) --filename - <<'EOF'\n(.*?)^EOF$/ms.exec(handover ?? '') ?? [];
  succeeded(cluster.kubectl([...command.split(' '), '--filename', '-'], input));
  const scaled = ['access', 'variables'].map(
    (role) => `${role}.autoscaling.enabled=true,${role}.autoscaling.minReplicas=3`,
  );
  helm('upgrade', 'weir', chart, '--set', scaled.join(','));
  expect(replicasOf(namespace, 'access')).toBe(3);
  // what happens to those that do not read it
  expect(replicasOf(namespace, 'variables')).toBe(1);
});
