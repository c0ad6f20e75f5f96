import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { parseKey } from '@weir/kit/keys';
import { freePorts } from '@weir/stack';
import { expect, test } from 'vitest';
import { keyFinder, keyFinderOf } from '../harness/no-keys.js';
import { startOtlpReceiver } from '../harness/otlp.js';
import { reading } from '../harness/points.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { runWeir } from '../harness/weir.js';

const secret = 'x'.repeat(43);
const digest = createHash('sha256').update(secret).digest();
const key = `weir_dev_${'0'.repeat(32)}_${secret}_000000`;

test.each([
  ['a key', `{"authorization":"Bearer ${key}"}`],
  ['a key without its end', key.slice(0, -7)],
  ['a secret', `secret=${secret}.`],
  ['a digest in hexadecimal', `\\x${digest.toString('hex')}`],
  ['a digest in base64', digest.toString('base64')],
  ['a digest as pino writes it', JSON.stringify({ digest })],
])('S3: what looks for keys finds %s', (_, text) => {
  expect(keyFinder([digest])(`before ${text} after`)).not.toEqual([]);
  expect(keyFinder([])(`before ${secret}y after`)).toEqual([]);
});

/** The command lines of all processes of the machine that may be read. */
async function commandLines(): Promise<string> {
  const ids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
  const lines = ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n');
}

const processes = ['gateway', 'access', 'ingestion', 'variables', 'observations', 'processor-1'];

test('S3: no key, secret or digest stands in answers, logs, traces, metrics, command lines or the document', async () => {
  await using receiver = await startOtlpReceiver();
  const ports = await freePorts(processes.length);
  const metrics = processes.map((name, at) => ({ name, address: `127.0.0.1:${ports[at]}` }));
  await using stack = await openTestStack({
    env: { ...receiver.env, LOG_LEVEL: 'trace' },
    envOf: Object.fromEntries(metrics.map(({ name, address }) => [name, { METRICS_ADDRESS: address }])),
  });
  const tenant = await createTenant(stack.addresses.access);
  const gone = await createTenant(stack.addresses.access);
  await runWeir(stack.addresses, ['keys', 'revoke', gone.developerKeyId]);
  const { developerKey, ingestionKey, projectId } = tenant;
  const wrong = developerKey.replace(/_[0-9A-Za-z]{6}$/, '_000000');
  const project = `/dev-api/v1/p/${projectId}`;
  const said: string[] = [];
  const call = async (path: string, headers: Record<string, string> = {}, json?: unknown): Promise<number> => {
    const answer = await fetch(stack.gatewayUrl + path, {
      headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
    });
    said.push(JSON.stringify([...answer.headers]), await answer.text());
    return answer.status;
  };
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  // as it should be
  expect(await call('/dev-api/v1/permissions', bearer(developerKey))).toBe(200);
  expect(await call('/v1/ingest', { 'x-api-key': ingestionKey }, { data: [reading('kept', 0, 1)] })).toBe(200);
  await stack.drained();
  expect(await call(`${project}/instruments`, bearer(developerKey))).toBe(200);
  expect(await call('/dev-api/v1/openai.json')).toBe(200);
  expect(await call('/dev-api/v1/docs')).toBe(200);
  // keys that open nothing, whole and broken, and in every place where somebody may put one
  for (const text of [ingestionKey, wrong, gone.developerKey, `${developerKey}x`, `${developerKey} ${developerKey}`])
    expect(await call(`${project}/instruments`, bearer(text))).toBe(401);
  expect(await call('/v1/ingest', { 'x-api-key': developerKey }, { data: [] })).toBe(401);
  expect(await call(`${project}/instruments`, { authorization: `Basic ${btoa(`u:${developerKey}`)}` })).toBe(401);
  expect(await call(`${project}/instruments?key=${developerKey}`)).toBe(401);
  expect(await call(`${project}/instruments?cursor=${developerKey}`, bearer(developerKey))).toBe(400);
  expect(await call(`/dev-api/v1/p/${developerKey}/instruments`, bearer(developerKey))).toBe(403);
  expect(await call(`${project}/instruments/${developerKey}`, bearer(developerKey))).toBe(404);
  expect(await call(`/${developerKey}`, bearer(developerKey))).toBe(404);
  expect(await call(`${project}/instruments`, bearer(developerKey), { name: 1, description: developerKey })).toBe(400);
  expect(await call('/v1/ingest', { 'x-api-key': ingestionKey, 'idempotency-key': ingestionKey }, {})).toBe(400);
  for (const name of ['x-request-id', 'traceparent', 'tracestate', 'baggage', 'user-agent', 'cookie'])
    for (const text of [developerKey, developerKey.replaceAll('_', '.')])
      expect(await call(`${project}/instruments`, { ...bearer(developerKey), [name]: text })).toBe(200);
  expect(await call(`${project}/runs`, { ...bearer(developerKey), 'x-request-id': 'last' })).toBe(200);

  const isLast = ({ attributes = [] }: { attributes?: readonly { value: { stringValue?: string } }[] }) =>
    attributes.some(({ value }) => value.stringValue === 'last');
  const spans = await receiver.until((all) => all.some(isLast));
  for (const { address } of metrics) said.push(await (await fetch(`http://${address}/metrics`)).text());
  for (const args of [
    ['keys', 'list', '--project', projectId],
    ['connections', 'list', '--project', projectId],
    ['audit'],
  ])
    said.push(await runWeir(stack.addresses, [...args, '--json']));

  const find = await keyFinderOf(stack.databaseUrl);
  // it does find what there is to find
  expect(find(developerKey.split('_')[3] ?? '')).toHaveLength(1);
  expect(find(parseKey(ingestionKey)?.secretSha256.toString('hex') ?? '')).toHaveLength(1);
  expect(find(said.join('\n'))).toEqual([]);
  expect(find(JSON.stringify(spans))).toEqual([]);
  expect(find(await commandLines())).toEqual([]);
  // the logs are looked through when the stack has stopped
});
