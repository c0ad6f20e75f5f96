import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../paths.js';
import { needsNoStack, weirSettings } from './weir.js';

const stack = {
  gatewayUrl: 'http://127.0.0.1:1',
  metricsUrl: 'http://127.0.0.1:2/metrics',
  addresses: {
    gateway: '127.0.0.1:1',
    access: '127.0.0.1:3',
    variables: '127.0.0.1:4',
    dashboards: '127.0.0.1:5',
    parsers: '127.0.0.1:6',
    ingestion: '127.0.0.1:7',
    observations: '127.0.0.1:8',
  },
  servers: {
    databaseUrl: 'postgres://127.0.0.1:9/weir',
    redisUrl: 'redis://127.0.0.1:10',
    natsUrl: 'nats://127.0.0.1:11',
  },
  demo: {
    projectId: 'project',
    siteId: 'site',
    apiKey: 'developer key',
    ingestKey: 'ingestion key',
    variableId: 'variable',
    instrumentName: 'instrument',
    variableName: 'name',
  },
};
const metricsUrl = { WEIR_METRICS_URL: stack.metricsUrl };

test('the command line is told all that its page names but who acts, and certificates, which a stack has none of', () => {
  const page = readFileSync(join(repositoryRoot, 'docs/operators/cli.md'), 'utf8');
  const table = page.slice(page.indexOf('| variable | for |'), page.indexOf('**Output.**'));
  const named = table.split('\n').flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)]);
  const wanted = named.map(([, name = '']) => name).filter((name) => !/^TLS_|^WEIR_ACTOR$/.test(name));
  expect(wanted).toContain('WEIR_URL');
  expect(Object.keys(weirSettings(stack, {})).sort()).toEqual(wanted.sort());
});

test('what is given stands; the key is of the gateway of the stack alone', () => {
  const gatewayOf = (given: NodeJS.ProcessEnv) =>
    Object.fromEntries(Object.entries(weirSettings(stack, given)).filter(([name]) => name.startsWith('WEIR_')));
  expect(gatewayOf({})).toEqual({ ...metricsUrl, WEIR_URL: stack.gatewayUrl, WEIR_INGEST_KEY: 'ingestion key' });
  expect(gatewayOf({ WEIR_INGEST_KEY: 'own' })).toMatchObject({ WEIR_URL: stack.gatewayUrl, WEIR_INGEST_KEY: 'own' });
  expect(gatewayOf({ WEIR_URL: 'https://weir.example' })).toEqual({ ...metricsUrl, WEIR_URL: 'https://weir.example' });
  expect(gatewayOf({ WEIR_METRICS_URL: 'http://a/metrics' })).toMatchObject({ WEIR_METRICS_URL: 'http://a/metrics' });
});

test('without a stack, it needs to be told where things are, unless it is asked for help alone', () => {
  expect(needsNoStack(['status'], {})).toBe(false);
  expect(needsNoStack(['status'], { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus', WEIR_ACTOR: 'me' })).toBe(false);
  expect(needsNoStack(['status'], { ACCESS_ADDRESS: '127.0.0.1:1' })).toBe(true);
  expect(needsNoStack(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1/weir' })).toBe(true);
  expect(needsNoStack(['files', 'ingest', '--help'], {})).toBe(true);
  expect(needsNoStack([], {})).toBe(true);
});
