import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller, type Deviation, exampleBody } from './calls.js';
import { type DocumentedOperation, errorOf, readServedDocument } from './served-document.js';

/**
 * Every operation of the served document against everything that a caller may do wrong, on the real
 * stack. What is tested follows from the document: an operation that is new is tested without a word here.
 */
const stack = await openTestStack({
  // many calls without a valid key come from one address here, and an undeclared answer must fail
  envOf: {
    gateway: {
      LIMIT_FAILED_CREDENTIALS_BURST: '100000',
      UNDECLARED_ANSWERS: 'fail',
      BODY_BYTES_MAX: '4096',
      INGEST_BODY_BYTES_MAX: '65536',
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

/** One deviation of an operation, and what it must be answered. */
interface Case {
  readonly what: string;
  readonly deviation: Deviation;
  readonly status: number;
  readonly code: string;
  readonly path?: string;
}

const broken = (key: string): string => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
const unknownKey = (key: string): string => key.replace(/_[0-9a-f]{32}_/, `_${'0'.repeat(32)}_`);

function credentialCases({ keyKind, path, 'x-weir-permission': permission }: DocumentedOperation): Case[] {
  if (keyKind === undefined) return [];
  const [key, otherKind] =
    keyKind === 'developer' ? [tenant.developerKey, tenant.ingestionKey] : [tenant.ingestionKey, tenant.developerKey];
  const refused = (what: string, deviation: Deviation): Case => ({
    what,
    deviation,
    status: 401,
    code: 'invalid_credential',
  });
  const cases = [
    { ...refused('no key', { key: null }), code: 'unauthenticated' },
    refused('a key of the other kind', { key: otherKind }),
    refused('a key with a broken checksum', { key: broken(key) }),
    refused('a key that nobody has', { key: unknownKey(key) }),
    refused('a credential that is no key', { key: 'x' }),
    refused('a credential of another scheme', { key: null, headers: { authorization: 'Basic eDp5' } }),
  ];
  if (path.includes('{project_id}'))
    cases.push(
      {
        what: 'a key of another project',
        deviation: { key: stranger.developerKey },
        status: 403,
        code: 'project_scope_mismatch',
      },
      {
        what: 'another project',
        deviation: { path: { project_id: stranger.projectId } },
        status: 403,
        code: 'project_scope_mismatch',
      },
      {
        what: 'a project that is none',
        deviation: { path: { project_id: 'x' }, key: powerless.developer },
        status: 403,
        code: 'project_scope_mismatch',
      },
      {
        what: 'a blank project',
        deviation: { path: { project_id: ' ' }, key: powerless.developer },
        status: 400,
        code: 'invalid_request',
      },
      {
        what: 'a project id that is too long',
        deviation: { path: { project_id: 'x'.repeat(129) } },
        status: 400,
        code: 'invalid_request',
      },
    );
  if (permission !== undefined)
    cases.push({
      what: 'a key without the permission',
      deviation: { key: powerless.developer },
      status: 403,
      code: 'permission_denied',
    });
  if (keyKind === 'ingestion')
    cases.push({
      what: 'a disabled connection',
      deviation: { key: powerless.ingestion },
      status: 403,
      code: 'permission_denied',
    });
  return cases;
}

function queryCases({ parameters }: DocumentedOperation): Case[] {
  const invalid = { status: 400, code: 'invalid_request' };
  const cases: Case[] = ['x', 'Limit', '__proto__', 'constructor'].map((name) => ({
    what: `an unknown parameter ${name}`,
    deviation: { query: { [name]: '1' } },
    status: 400,
    code: 'unknown_query_parameter',
    path: `query/${name}`,
  }));
  for (const { name, in: place, required, schema } of parameters) {
    const path = `${place}/${name}`;
    if (place === 'path' && name !== 'project_id')
      cases.push({ what: `a blank ${name}`, deviation: { path: { [name]: ' ' } }, ...invalid, path });
    if (place !== 'query') continue;
    cases.push({ what: `an empty ${name}`, deviation: { query: { [name]: '' } }, ...invalid, path });
    cases.push({ what: `${name} with NUL`, deviation: { query: { [name]: 'a\0' } }, ...invalid, path });
    if (required) cases.push({ what: `no ${name}`, deviation: { query: { [name]: undefined } }, ...invalid, path });
    if (schema.type !== 'array')
      cases.push({ what: `${name} twice`, deviation: { query: { [name]: ['1', '1'] } }, ...invalid, path });
    if (schema.type === 'integer')
      for (const text of ['0', '1e1', '+1', '01', '1.0', '99999999999999999999'])
        cases.push({ what: `${name}=${text}`, deviation: { query: { [name]: text } }, ...invalid, path });
    if (schema.type === 'boolean')
      cases.push({ what: `${name}=TRUE`, deviation: { query: { [name]: 'TRUE' } }, ...invalid, path });
    if (name === 'cursor') {
      const tooLong = { query: { cursor: 'x'.repeat(16_385) } };
      cases.push({ what: 'a cursor that is too long', deviation: tooLong, status: 429, code: 'cursor_too_large' });
      for (const length of [1, 100, 16_384])
        cases.push({
          what: `a cursor of ${length} characters that is none`,
          deviation: { query: { cursor: 'x'.repeat(length) } },
          status: 400,
          code: 'invalid_cursor',
        });
    }
  }
  return cases;
}

/** The documented body with a member that nobody knows put into each of its objects in turn. */
function withUnknownMembers(value: unknown, at = ''): { readonly path: string; readonly value: unknown }[] {
  if (Array.isArray(value))
    return value.flatMap((item, i) =>
      withUnknownMembers(item, `${at}/${i}`).map((made) => ({ ...made, value: value.with(i, made.value) })),
    );
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    withUnknownMembers(member, `${at}/${name}`).map((made) => ({ ...made, value: { ...value, [name]: made.value } })),
  );
  return [{ path: `${at}/zz`, value: { ...value, zz: 1 } }, ...below];
}

function bodyCases(operation: DocumentedOperation): Case[] {
  const example = exampleBody(operation);
  if (example === undefined) {
    const unexpected = { status: 400, code: 'unexpected_body' };
    return ['application/json', 'text/plain', 'nonsense'].map((type) => ({
      what: `a body of type ${type}`,
      deviation: { body: '{}', headers: { 'content-type': type } },
      ...unexpected,
    }));
  }
  const malformed = { status: 400, code: 'malformed_json' };
  const unsupported = { status: 415, code: 'unsupported_media_type' };
  const large = ' '.repeat((document.limits.get('ingest_body_bytes') ?? 0) + 1);
  return [
    { what: 'no body', deviation: { body: '' }, ...malformed },
    { what: 'half a body', deviation: { body: '{"a":' }, ...malformed },
    { what: 'bytes that are not UTF-8', deviation: { body: Uint8Array.of(34, 0xe9, 34) }, ...malformed },
    { what: 'a list', deviation: { body: '[]' }, status: 400, code: 'invalid_request', path: '' },
    {
      what: 'depth',
      deviation: { body: '['.repeat(10_000) + ']'.repeat(10_000) },
      status: 400,
      code: 'invalid_request',
    },
    {
      what: 'own __proto__',
      deviation: { body: JSON.stringify(example).replace('{', '{"__proto__":{"x":1},') },
      status: 400,
      code: 'unknown_field',
      path: '/__proto__',
    },
    ...withUnknownMembers(example).map(({ path, value }) => ({
      what: `an unknown member ${path}`,
      deviation: { body: JSON.stringify(value) },
      status: 400,
      code: 'unknown_field',
      path,
    })),
    { what: 'a body that is too large', deviation: { body: large }, status: 413, code: 'body_too_large' },
    { what: 'another media type', deviation: { headers: { 'content-type': 'text/plain' } }, ...unsupported },
    {
      what: 'a list of media types',
      deviation: { headers: { 'content-type': 'application/json, text/plain' } },
      ...unsupported,
    },
    {
      what: 'another charset',
      deviation: { headers: { 'content-type': 'application/json; charset=latin1' } },
      ...unsupported,
    },
    { what: 'an unknown encoding', deviation: { headers: { 'content-encoding': 'br' } }, ...unsupported },
    { what: 'a broken gzip stream', deviation: { headers: { 'content-encoding': 'gzip' } }, ...malformed },
  ];
}

describe.each(document.operations)('$method $path', (operation) => {
  const cases = [...credentialCases(operation), ...queryCases(operation), ...bodyCases(operation)];

  test.each(cases)('$what: $status $code', async ({ deviation, status, code, path }) => {
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
      const answer = await call({ ...operation, requestBody: { content: {} } }, { method, key: null });
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
    const ids = { headers: { 'x-request-id': 'same' } };
    const get = await call(operation, ids);
    const bare = await call(operation, { ...ids, method: 'HEAD' });
    expect([bare.status, bare.text]).toEqual([get.status, '']);
    const varying = /^(date|ratelimit|connection|keep-alive)/;
    const comparable = ({ headers }: { headers: Headers }) => [...headers].filter(([name]) => !varying.test(name));
    expect(comparable(bare)).toEqual(comparable(get));
  };
  if (operation.method === 'GET') test('HEAD: the headers of GET', compareHead);

  test('its documented example: 200, or 404 where it names a record', async () => {
    const answer = await call(operation);
    document.check(operation, answer);
    const namesRecord = operation.parameters.some(
      ({ name, in: place, example }) =>
        name !== 'project_id' &&
        (place === 'path' || (place === 'query' && name.endsWith('_id') && example !== undefined)),
    );
    expect(answer.status).toBe(namesRecord ? 404 : 200);
  });
});

test('paths that do not exist are 404 before anything else', async () => {
  for (const path of ['/', '/dev-api/v1', '/dev-api/v1/permissions/', '/v1/Ingest', '/dev-api/v1/p/x']) {
    const response = await fetch(stack.gatewayUrl + path, { headers: { 'x-request-id': 'mine' } });
    expect([path, response.status, response.headers.get('x-request-id')]).toEqual([path, 404, 'mine']);
    expect(await response.json()).toMatchObject({ request_id: 'mine', error: { code: 'not_found', details: [] } });
  }
});

test('introspection says what the key may do', async () => {
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
