import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller } from './calls.js';
import { caseGenerator } from './cases.js';
import { errorOf, isCreate, readServedDocument } from './served-document.js';
import { createWorlds } from './world.js';

/**
 * Every operation of the served document against everything that a caller may do wrong, on the real
 * stack. What is tested follows from the document: an operation that is new is tested without a word here.
 */
const stack = await openTestStack({
  // many calls, with and without a valid key, come from one address here, and an undeclared answer must fail
  envOf: {
    gateway: {
      LIMIT_FAILED_CREDENTIALS_BURST: '100000',
      LIMIT_DEVELOPER_REQUESTS_BURST: '100000',
      UNDECLARED_ANSWERS: 'fail',
      BODY_BYTES_MAX: '32768',
      INGEST_BODY_BYTES_MAX: '65536',
      FILE_BYTES_MAX: '65536',
      PREVIEW_BYTES_MAX: '8192',
    },
  },
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

const tenant = await createTenant(stack.addresses.access);
const stranger = await createTenant(stack.addresses.access);
const powerless = await createPowerless();
const document = await readServedDocument(stack.gatewayUrl);
const call = createCaller(
  stack.gatewayUrl,
  { developer: tenant.developerKey, ingestion: tenant.ingestionKey },
  tenant.projectId,
);

/** A key of the project that may do nothing, and one of a connection that is disabled. */
async function createPowerless(): Promise<{ readonly developer: string; readonly ingestion: string }> {
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  const actor = { type: 'user', id: 'test' };
  const { projectId } = tenant;
  const developer = await access.createDeveloperKey({ projectId, name: 'powerless', permissions: [], actor });
  const ingestion = await access.createConnection({ projectId, name: 'off', provisioning: 'automatic', actor });
  await access.updateConnection({ connectionId: ingestion.connection?.id ?? '', enabled: false, actor });
  return { developer: developer.plaintext, ingestion: ingestion.plaintext };
}

const worlds = createWorlds(document.operations);
const casesOf = caseGenerator({
  tenant,
  stranger,
  powerless,
  bodyBytesMax: document.limits.get('ingest_body_bytes') ?? 0,
});

describe.each(document.operations)('$method $path', (operation) => {
  test.each(casesOf(operation))('$what: $status $code', async ({ deviation, status, code, path }) => {
    const answer = await call(operation, deviation);
    document.check(operation, answer);
    const error = errorOf(answer);
    expect([answer.status, error.code]).toEqual([status, code]);
    if (path !== undefined) expect(error.details.map((detail) => detail.path)).toContain(path);
  });

  test('methods it does not have: 405 with Allow', async () => {
    const siblings = document.operations.filter((other) => other.path === operation.path).map((other) => other.method);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (siblings.includes(method === 'HEAD' ? 'GET' : method)) continue;
      const answer = await call({ ...operation, requestBody: { description: '', content: {} } }, { method, key: null });
      expect(answer.status, method).toBe(405);
      const allow = answer.headers.get('allow')?.split(', ') ?? [];
      for (const known of [...siblings, 'OPTIONS']) expect(allow).toContain(known);
      expect(allow).not.toContain(method);
      if (method !== 'HEAD') document.check(operation, answer);
    }
  });

  test('OPTIONS: 204 with Allow, without a key', async () => {
    const answer = await call(operation, { method: 'OPTIONS', key: null });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('allow')).toContain(operation.method);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  const compareHead = async () => {
    // a run that is being processed changes between the two
    await stack.drained();
    const ids = { headers: { 'x-request-id': 'same' } };
    const get = await call(operation, ids);
    const bare = await call(operation, { ...ids, method: 'HEAD' });
    expect([bare.status, bare.text]).toEqual([get.status, '']);
    const varying = /^(date|ratelimit|connection|keep-alive)/;
    const comparable = ({ headers }: { headers: Headers }) => [...headers].filter(([name]) => !varying.test(name));
    expect(comparable(bare)).toEqual(comparable(get));
  };
  if (operation.method === 'GET') test('HEAD: the headers of GET', compareHead);

  test('its documented example, with records that there are, succeeds', async () => {
    const answer = await call(operation, await worlds.open(call).example(operation));
    document.check(operation, answer);
    expect(answer.status, answer.text).toBe(isCreate(operation) ? 201 : 200);
  });
});

test('paths that do not exist are 404 before anything else', async () => {
  for (const path of ['/', '/dev-api/v1', '/dev-api/v1/permissions/', '/v1/Ingest', '/dev-api/v1/p/x']) {
    const response = await fetch(stack.gatewayUrl + path, { headers: { 'x-request-id': 'mine' } });
    expect([path, response.status, response.headers.get('x-request-id')]).toEqual([path, 404, 'mine']);
    expect(await response.json()).toMatchObject({ request_id: 'mine', error: { code: 'not_found', details: [] } });
  }
});

test('S8: records have members that are not for clients to say', () => {
  const ofSites = document.operations.find(({ operationId }) => operationId === 'developerapi_sites_create');
  expect(ofSites?.readOnlyMembers).toEqual(expect.arrayContaining(['id', 'project_id', 'revision', 'created_at']));
});

test('S6: introspection says what the key may do', async () => {
  const permissions = document.operations.find(({ operationId }) => operationId === 'developerapi_permissions');
  if (permissions === undefined) throw new Error('no introspection');
  const { data } = JSON.parse((await call(permissions)).text);
  expect(data).toMatchObject({
    organization_id: tenant.organizationId,
    project_id: tenant.projectId,
    key: { id: tenant.developerKeyId, expires_at: null },
  });
  for (const operation of document.operations) {
    const permission = operation['x-weir-permission'];
    if (permission !== undefined) expect(data.permissions).toContain(permission);
  }
  const none = JSON.parse((await call(permissions, { key: powerless.developer })).text);
  expect(none.data.permissions).toEqual([]);
});
