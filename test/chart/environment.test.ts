import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@weir/kit/config';
import { runsStream } from '@weir/kit/nats';
import { leanSemiSpaceMiB } from '@weir/stack';
import { describe, expect, test } from 'vitest';
import { declaredSettings, roles } from './declared-settings.js';
import { type Manifest, render, root } from './helm.js';
import { type Container, podsOf } from './pods.js';
import { manifestsOf, variantOf, variants } from './variants.js';

/** What no process declares: read by Node and by the telemetry preload. */
const beside = /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|OTEL_[A-Z_]+)$/;
/** Values that Secrets may have. */
const secrets: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://weir:p@database:5432/weir',
  REDIS_URL: 'redis://:p@redis:6379',
  NATS_URL: 'nats://weir:p@nats:4222',
  CURSOR_KEYS: Buffer.alloc(32).toString('base64'),
};

function containerOf(manifests: readonly Manifest[], role: string): Container {
  const found = podsOf(manifests).find(({ component }) => component === role)?.spec.containers[0];
  if (found === undefined) throw new Error(`no pod of ${role}`);
  return found;
}

function environmentOf({ env = [] }: Container): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? secrets[name] ?? `no value for ${name}`]));
}

describe.each(variants)('values $name', (variant) => {
  test.each(roles)('%s declares, and accepts, all that the chart sets', (role) => {
    const settings = declaredSettings[role] ?? {};
    const environment = environmentOf(containerOf(manifestsOf(variant), role));
    const declared = new Set(Object.values(settings).map(({ env }) => env));
    expect(Object.keys(environment).filter((name) => !declared.has(name) && !beside.test(name))).toEqual([]);
    const config = parseConfig(settings, environment);
    const port = containerOf(manifestsOf(variant), role).ports?.[0]?.containerPort;
    expect(config['listenAddress']).toBe(`0.0.0.0:${port}`);
  });
});

test('settings are passed on as they are written, large numbers too', () => {
  const args = ['gateway.settings.FILE_BYTES_MAX=268435456', 'gateway.settings.TRUST_TRACEPARENT=true'];
  const environment = environmentOf(containerOf(render(...args.flatMap((arg) => ['--set', arg])), 'gateway'));
  expect(environment).toMatchObject({ FILE_BYTES_MAX: '268435456', TRUST_TRACEPARENT: 'true', GATEWAY_REPLICAS: '2' });
  const production = environmentOf(containerOf(manifestsOf(variantOf('production')), 'gateway'));
  expect(production).toMatchObject({ GATEWAY_REPLICAS: '12', LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '500' });
});

test('the heap has three quarters of the memory limit, whatever its unit', () => {
  const options = (limit: string): string | undefined =>
    environmentOf(containerOf(render('--set', `access.resources.limits.memory=${limit}`), 'access'))['NODE_OPTIONS'];
  expect(options('1Gi')).toBe('--max-old-space-size=768');
  expect(options('512Mi')).toBe('--max-old-space-size=384');
  expect(options('1G')).toBe('--max-old-space-size=715');
});

test.each(roles)('%s has the young generation that is measured and tested', (role) => {
  const options = environmentOf(containerOf(manifestsOf(variantOf('defaults')), role))['NODE_OPTIONS'] ?? '';
  const given = /--max-semi-space-size=(\d+)/.exec(options)?.[1];
  expect(given).toBe(leanSemiSpaceMiB.get(role)?.toString());
});

test('H22: KEDA asks for the stream and the consumers that processors make', () => {
  const scaled = manifestsOf(variantOf('keda')).find(({ kind }) => kind === 'ScaledObject');
  const { triggers } = (scaled?.['spec'] ?? { triggers: [] }) as {
    triggers: { type: string; metadata: Record<string, string> }[];
  };
  const asked = triggers
    .filter(({ type }) => type === 'nats-jetstream')
    .map(({ metadata }) => [metadata['stream'], metadata['consumer']]);
  const names = runsStream('weir');
  const made = (['live', 'bulk'] as const).flatMap((lane) =>
    [0, 1, 2, 3].map((shard) => [names.stream, names.shard(lane, shard).consumer]),
  );
  expect(asked).toEqual(made);
});

test('the bundled PostgreSQL has every role that services run their statements as', () => {
  const secret = manifestsOf(variantOf('bundled')).find(({ kind }) => kind === 'Secret');
  const { 'init-service-login.sql': sql = '' } = (secret?.['stringData'] ?? {}) as Record<string, string>;
  for (const { databaseRole } of Object.values(declaredSettings)) {
    // migrations make the role that keeps to projects, and the one before it is a member of it
    const role = databaseRole?.default?.replace(/_tenant$/, '');
    if (role !== undefined) expect(sql).toContain(`grant ${role} to weir_service;`);
  }
  expect(readFileSync(join(root, 'docs/operators/install.md'), 'utf8')).toContain('weir_observations_query');
});

test('pods have the certificates of the Secret that is named, and probes ask where none is asked for', () => {
  const manifests = render('--set', 'rpc.tls.existingSecret=weir-peers');
  for (const role of roles) {
    const { env = [], ...container } = containerOf(manifests, role);
    const settings = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(settings, role).toMatchObject({
      TLS_CERT_FILE: '/etc/weir/peers/tls.crt',
      TLS_KEY_FILE: '/etc/weir/peers/tls.key',
      TLS_CA_FILE: '/etc/weir/peers/ca.crt',
    });
    expect(settings, role).not.toHaveProperty('RPC_PLAIN');
    if (role === 'gateway') continue;
    expect(settings['HEALTH_ADDRESS'], role).toBe('0.0.0.0:50052');
    expect(container, role).toMatchObject({ livenessProbe: { grpc: { port: 50052, service: 'live' } } });
  }
});

test('services of pods without certificates are told that calls are plain', () => {
  for (const role of roles) {
    const plain = environmentOf(containerOf(render(), role))['RPC_PLAIN'];
    expect(plain, role).toBe(role === 'gateway' ? undefined : 'true');
  }
});
