import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { roles } from './declared-settings.js';
import { chart, helm } from './helm.js';
import { valuesSchema, valuesTable } from './values-schema.js';
import { readValues } from './values-source.js';

const values = readValues();
const sections = values.filter(({ isSection }) => isSection).map(({ path }) => path.join('.'));
const leaves = values.filter(({ isSection }) => !isSection);

/** What `helm template` says against values. */
function refusal(...settings: readonly string[]): string {
  const { code, stderr } = helm('template', 'weir', chart, ...settings.flatMap((setting) => ['--set', setting]));
  expect(code, settings.join(' ')).not.toBe(0);
  return stderr;
}

describe('H3: values, schema, README and templates agree', () => {
  test('values.schema.json is made of values.yaml and of the settings that processes declare', async () => {
    const text = `${JSON.stringify(valuesSchema(values), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../charts/weir/values.schema.json');
  });

  test('README.md tells every value', async () => {
    const file = join(chart, 'README.md');
    const mark = '## Values\n\n';
    const text = readFileSync(file, 'utf8');
    const before = text.slice(0, text.indexOf(mark) + mark.length);
    await expect(`${before}${valuesTable(values)}`).toMatchFileSnapshot(file);
  });

  test('every value has a sentence', () => {
    expect(leaves.filter(({ description }) => !/^[A-Z].*[^ ]\.$/.test(description)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('every value is used by a template, and every value that a template uses is there', () => {
    const names = readdirSync(join(chart, 'templates'), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /\.(yaml|tpl|txt)$/.test(name));
    const text = files.map((name) => readFileSync(join(chart, 'templates', name), 'utf8')).join('\n');
    const used = new Set(
      [...text.matchAll(/(?:\.|\$|root)\.?Values((?:\.\w+)+)/g)].map((match) => match[1]?.slice(1) ?? ''),
    );
    const isThere = (path: string): boolean =>
      leaves.some((leaf) => `${path}.`.startsWith(`${leaf.path.join('.')}.`)) || sections.includes(path);
    expect([...used].filter((path) => !isThere(path))).toEqual([]);
    // the roles' own are read below a name that their section is bound to, and some by a name that is put together
    const isUsed = (path: readonly string[]): boolean =>
      used.has(path.join('.')) ||
      text.includes(`.${path.at(-1)}`) ||
      new RegExp(`index [$.\\w]+\\.${path.at(-2)} `).test(text);
    expect(leaves.filter(({ path }) => !isUsed(path)).map(({ path }) => path.join('.'))).toEqual([]);
  });
});

describe('H2: mistakes are refused with the key', () => {
  test('a misspelt value at any depth', () => {
    expect(refusal('gatway.replicas=2')).toContain("'gatway'");
    expect(refusal('gateway.replica=2')).toContain("'replica'");
    expect(refusal('bundled.storage.sizes=1Gi')).toContain("'sizes'");
  });

  test.each(roles)('a setting that %s does not have', (role) => {
    expect(refusal(`${role}.settings.LOG_LEVLE=debug`)).toContain("'LOG_LEVLE'");
    expect(refusal(`${role}.settings.LISTEN_ADDRESS=x`)).toContain("'LISTEN_ADDRESS'");
  });

  test('values of the wrong kind', () => {
    expect(refusal('gateway.replicas=two')).toMatch(/gateway.*replicas/);
    expect(refusal('image.pullPolicy=Sometimes')).toMatch(/pullPolicy/);
    expect(refusal('image.digest=latest')).toMatch(/digest/);
    expect(refusal('telemetry.sampleRatio=2')).toMatch(/sampleRatio/);
  });

  test('values that contradict each other, with what to do', () => {
    expect(refusal('bundled.enabled=true')).toContain('--set bundled.password=');
    expect(refusal('pods.drainMs=5001')).toContain('raise that');
    const both = refusal('bundled.enabled=true', 'bundled.password=a', 'redis.existingSecret=cache');
    expect(both).toContain('take redis.existingSecret away');
    expect(refusal('bundled.enabled=true', 'bundled.password=a', 'nats.replicas=3')).toContain('set nats.replicas=1');
    expect(refusal('migrations.hook=true', 'migrations.enabled=false')).toContain('set migrations.enabled=true');
    const withoutRequest = ['access.autoscaling.enabled=true', 'access.resources.requests.cpu=null'];
    expect(refusal(...withoutRequest)).toContain('set access.resources.requests.cpu');
    expect(refusal('keda.enabled=true')).toContain('set processor.autoscaling.enabled=true');
    const keda = refusal('keda.enabled=true', 'processor.autoscaling.enabled=true');
    expect(keda).toContain('set keda.natsMonitoringEndpoint');
    expect(refusal('migrations.hook=true')).toContain('needs database.existingSecret');
    expect(refusal('rpc.plain=false')).toContain('set rpc.tls.existingSecret');
    expect(refusal('httpRoute.enabled=true')).toContain('set httpRoute.parentRefs');
    expect(refusal('serviceMonitor.enabled=true', 'metrics.enabled=false')).toContain('set metrics.enabled=true');
    expect(refusal('prometheusRule.runbookUrl=wiki.example/runbook')).toContain('set a URL with https://');
    expect(refusal('metrics.port=50051')).toContain('metrics.port=50051 is where pods serve');
    expect(refusal('service.externalTrafficPolicy=Local')).toContain('set service.type=LoadBalancer');
    expect(refusal('service.loadBalancerSourceRanges={192.0.2.0/24}')).toContain('set service.type=LoadBalancer');
    const tls = ['rpc.tls.existingSecret=peers', 'rpc.tls.healthPort=9464', 'metrics.port=9464'];
    expect(refusal(...tls)).toContain('rpc.tls.healthPort=9464 is taken in the same pods');
    const bundled = ['bundled.enabled=true', 'bundled.password=a', 'nats.port=8222'];
    expect(refusal(...bundled)).toContain('nats.port=8222 is where the bundled NATS tells of itself');
    const scaling = ['access.autoscaling.enabled=true', 'access.autoscaling.minReplicas=9'];
    expect(refusal(...scaling)).toContain('minReplicas (9) is more than maxReplicas (4)');
  });
});
