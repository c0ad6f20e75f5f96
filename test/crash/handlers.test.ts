import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { type KeepingReceiver, startOtlpReceiver } from '../harness/otlp.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { reading } from '../harness/points.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

const services = ['access', 'variables', 'dashboards', 'parsers', 'ingestion', 'observations'] as const;

const plantings = new Map<string, Planting>();
const paths = new Map<string, string>();
let receiver: KeepingReceiver;
let stack: TestStack;
let tenant: Tenant;
beforeAll(async () => {
  for (const service of services) plantings.set(service, openPlanting());
  const envOf = Object.fromEntries([...plantings].map(([service, { env }]) => [service, env]));
  receiver = await startOtlpReceiver();
  stack = await openTestStack({ env: receiver.env, envOf });
  tenant = await createTenant(stack.addresses.access);
  const api = apiOf(stack.gatewayUrl, tenant);
  const { runs } = await api.ingest([reading('kept', 0, 1)]);
  await stack.drained();
  const { variables } = await api.run(runs[0]?.run_id ?? '');
  const project = `/dev-api/v1/p/${tenant.projectId}`;
  paths.set('access', '/dev-api/v1/permissions').set('variables', `${project}/sites`);
  paths.set('dashboards', `${project}/dashboards`).set('parsers', `${project}/parsers`);
  paths.set('ingestion', `${project}/runs`);
  paths.set('observations', `${project}/observations?variable_id=${variables[0]?.variable_id}`);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  for (const planting of plantings.values()) planting[Symbol.dispose]();
});

/** The line of a log that tells an unexpected error of a request, as soon as it is there. */
async function errorLine(service: string, requestId: string): Promise<unknown> {
  for (;;) {
    const lines = (await readFile(join(stack.logDirectory, `${service}.log`), 'utf8')).split('\n');
    const found = lines.find((line) => line.includes(requestId) && line.includes('unexpected error'));
    if (found !== undefined) return JSON.parse(found);
    await delay(20);
  }
}

test.each(services.flatMap((service) => [[service, 'throws'] as const, [service, 'rejects'] as const]))(
  'G2: a handler of %s that %s answers internal and nothing else; the log has its stack, the request and the trace',
  async (service, how) => {
    const ask = () => apiOf(stack.gatewayUrl, tenant).request<object>('GET', paths.get(service) ?? '');
    const { pid } = stack.process(service);
    let failed: Awaited<ReturnType<typeof ask>> | undefined;
    {
      using _ = plantings.get(service)?.plant(how);
      // a gateway knows a key for a moment
      await expect
        .poll(
          async () => {
            failed = await ask();
            return failed.status;
          },
          { timeout: 5000 },
        )
        .toBe(500);
    }
    expect(failed?.body).toMatchObject({ error: { code: 'internal', details: [] } });
    expect(JSON.stringify(failed?.body)).not.toMatch(/planted|TypeError|dist|\.js|\.ts/);
    const requestId = failed?.headers.get('x-request-id') ?? '';
    const traceId = failed?.headers.get('traceresponse')?.split('-')[1];
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(await errorLine(service, requestId)).toMatchObject({
      request_id: requestId,
      trace_id: traceId,
      err: { message: 'a planted error', stack: expect.stringMatching(/a planted error\n +at .*plant\.mjs/) },
    });
    // the process is the one that it was, and goes on
    await expect.poll(async () => (await ask()).status).toBe(200);
    expect(stack.process(service).pid).toBe(pid);
  },
);
