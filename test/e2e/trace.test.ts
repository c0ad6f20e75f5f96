import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { startOtlpReceiver } from '../harness/otlp.js';
import { instantAt, reading } from '../harness/points.js';
import { projectApiOf } from '../harness/project-api.js';
import { endedRecalculation } from '../harness/recalculations.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { attributesOf, missingOf, orphansOf, type Step, traceOf } from '../harness/traces.js';

const call = (method: string, from: string, to: string): Step[] => [
  ['client', new RegExp(`Service/${method}$`), from],
  ['server', new RegExp(`Service/${method}$`), to],
];
const statement = (service: string): Step => ['client', /^(with|select|insert|copy|update|delete)$/, service];

/** What the traces of four requests consist of, by their ids. */
const paths: Readonly<Record<string, readonly Step[]>> = {
  ingest: [
    ['server', /^POST \/v1\/ingest$/, 'gateway'],
    ...call('Admit', 'gateway', 'ingestion'),
    statement('ingestion'),
    ['producer', /^publish runs$/, 'ingestion'],
    ['consumer', /^process runs$/, 'processor'],
    ...call('Resolve', 'processor', 'variables'),
    statement('variables'),
    ['client', /^(copy|with)$/, 'processor'],
    ...call('CompleteRuns', 'processor', 'ingestion'),
    ['internal', /^compute live$/, 'processor'],
  ],
  calculate: [
    ['server', /^POST .*\/calculated-variables$/, 'gateway'],
    ...call('CreateCalculatedVariable', 'gateway', 'variables'),
    ['consumer', /^recalculate$/, 'processor'],
    statement('processor'),
  ],
  change: [
    ['server', /^PATCH .*\/calibration-constants\/\{constant_id\}$/, 'gateway'],
    ...call('UpdateConstant', 'gateway', 'variables'),
    statement('variables'),
    ['consumer', /^recalculate$/, 'processor'],
    statement('processor'),
  ],
  query: [
    ['server', /^GET .*\/observations$/, 'gateway'],
    ...call('ListObservations', 'gateway', 'observations'),
    statement('observations'),
  ],
};

/** All that spans may say of what they are about (docs/operations/telemetry.md). */
const allowed = new Set([
  ...['http.request.method', 'http.route', 'http.response.status_code', 'url.scheme', 'network.protocol.version'],
  ...['rpc.system.name', 'rpc.method', 'db.system.name', 'db.query.text', 'db.collection.name', 'error.type'],
  ...['messaging.system', 'messaging.operation.name', 'messaging.operation.type', 'messaging.destination.name'],
  ...['messaging.batch.message_count', 'weir.batches', 'weir.batch_ids', 'weir.project_id', 'weir.project_ids'],
  ...['weir.request_id', 'weir.run_ids'],
]);

const secretValue = 8128.4375;
const secretName = 'nobody-knows-it';

/** Every line of a log that has a text, as soon as there is one. */
async function linesWith(stack: TestStack, name: string, text: string): Promise<string[]> {
  for (;;) {
    const lines = (await readFile(join(stack.logDirectory, `${name}.log`), 'utf8')).split('\n');
    const found = lines.filter((line) => line.includes(text));
    if (found.length > 0) return found;
    await delay(50);
  }
}

test('O1, O2, O3: a request is one trace through all processes', async () => {
  await using receiver = await startOtlpReceiver();
  // whatever an operator sets, the traces of a request stay one
  const env = { ...receiver.env, LOG_LEVEL: 'debug', OTEL_PROPAGATORS: 'b3' };
  await using stack = await openTestStack({ env });
  const tenant = await createTenant(stack.addresses.access);
  const api = apiOf(stack.gatewayUrl, tenant);
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const named = (requestId: string) => ({ headers: { 'x-request-id': requestId } });
  const made = async (path: string, json: unknown, requestId: string = crypto.randomUUID()) => {
    const { status, data, error } = await project.call('POST', path, json, named(requestId));
    expect(status, JSON.stringify(error)).toBe(201);
    return data;
  };

  const instrument = await made('/instruments', { name: secretName });
  const path = `/instruments/${instrument.id}`;
  const level = await made(`${path}/ingested-variables`, { name: 'level' });
  const steps = (value: number) => ({ values: [{ start_time: instantAt(0), value }] });
  const constant = await made(`${path}/calibration-constants`, { name: 'k', ...steps(1) });
  const inputs = [
    { kind: 'self_variable', variable_id: level.id },
    { kind: 'constant', constant_id: constant.resource.id },
  ];
  const calculations = [{ start_time: instantAt(0), expression: 'level * k', inputs }];
  await api.ingest([reading(secretName, 0, secretValue)]);
  await stack.drained();
  const calculated = await made(`${path}/calculated-variables`, { name: 'flow', calculations }, 'calculate');
  await endedRecalculation(project, calculated.recalculation_batch_run_id);

  const key = 'its-idempotency-key';
  const json = { data: [reading(secretName, 1, secretValue), reading('met on the way', 1, secretValue)] };
  const headers = { 'idempotency-key': key, 'x-request-id': 'ingest' };
  const ingested = await api.request('POST', '/v1/ingest', { json, headers });
  expect(ingested.status).toBe(200);
  await stack.drained();
  const constantPath = `${path}/calibration-constants/${constant.resource.id}`;
  const changed = await project.call('PATCH', constantPath, steps(2), named('change'));
  await endedRecalculation(project, changed.data.recalculation_batch_run_id);
  const query = `/observations?variable_id=${calculated.resource.id}`;
  expect((await project.call('GET', query, undefined, named('query'))).data.items[0].values).toEqual([
    2 * secretValue,
    2 * secretValue,
  ]);

  // what is still open when a chain is complete is exported a little later
  const spans = await receiver.until((all) =>
    Object.entries(paths).every(([requestId, wanted]) => {
      const trace = traceOf(all, requestId);
      return missingOf(trace, wanted).length === 0 && orphansOf(trace).length === 0;
    }),
  );
  const traceId = traceOf(spans, 'ingest')[0]?.traceId;
  expect(ingested.headers.get('traceresponse')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));

  // O3: nothing is said but what is on the list, and nothing that was secret or sent
  const said = new Set(spans.flatMap((span) => Object.keys(attributesOf(span))));
  expect([...said].filter((name) => !allowed.has(name))).toEqual([]);
  const text = JSON.stringify(spans);
  for (const hidden of [tenant.developerKey, tenant.ingestionKey, secretName, String(secretValue), key])
    expect(text).not.toContain(hidden);

  // O2: the request is named in each line about it, in every process that had to do with it
  const { traceId: changeTraceId = '' } = traceOf(spans, 'change')[0] ?? {};
  for (const [requestId, id, names] of [
    ['ingest', traceId ?? '', ['gateway', 'ingestion', 'processor-1', 'variables']],
    ['change', changeTraceId, ['gateway', 'variables', 'processor-1']],
  ] as const)
    for (const name of names)
      for (const line of await linesWith(stack, name, id))
        expect(JSON.parse(line), `${name}: ${line}`).toMatchObject({ request_id: requestId, trace_id: id });
});
