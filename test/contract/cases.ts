import type { Tenant } from '../harness/tenant.js';
import { type Deviation, exampleBody, exampleUpload } from './calls.js';
import type { DocumentedOperation } from './served-document.js';

/** Whose keys the cases use. */
interface Callers {
  readonly tenant: Tenant;
  /** Of another project. */
  readonly stranger: Tenant;
  /** Keys of the tenant's project that may do nothing. */
  readonly powerless: { readonly developer: string; readonly ingestion: string };
}

/** One deviation of an operation, and what it must be answered. */
export interface Case {
  readonly what: string;
  readonly deviation: Deviation;
  readonly status: number;
  readonly code: string;
  readonly path?: string;
}

const broken = (key: string): string => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
const unknownKey = (key: string): string => key.replace(/_[0-9a-f]{32}_/, `_${'0'.repeat(32)}_`);

function credentialCases(
  { keyKind, path, 'x-weir-permission': permission }: DocumentedOperation,
  { tenant, stranger, powerless }: Callers,
): Case[] {
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
      cases.push({
        what: 'a cursor that is too long',
        deviation: tooLong,
        status: 429,
        code: 'cursor_too_large',
        path,
      });
      for (const length of [1, 100, 16_384])
        cases.push({
          what: `a cursor of ${length} characters that is none`,
          deviation: { query: { cursor: 'x'.repeat(length) } },
          status: 400,
          code: 'invalid_cursor',
          path,
        });
    }
  }
  return cases;
}

/** A file is read by its parser, so only what stands before that can be told of any. */
function uploadCases(mediaTypes: readonly string[], bytesMax: number): Case[] {
  const unsupported = { status: 415, code: 'unsupported_media_type' };
  const typed = (type: string) => ({ headers: { 'content-type': type } });
  return [
    { what: 'JSON', deviation: { ...typed('application/json'), body: '{}' }, ...unsupported },
    { what: 'no media type', deviation: typed(''), ...unsupported },
    { what: 'a list of media types', deviation: typed(mediaTypes.join(', ')), ...unsupported },
    { what: 'another charset', deviation: typed(`${mediaTypes[0]}; charset=latin1`), ...unsupported },
    { what: 'an unknown encoding', deviation: { headers: { 'content-encoding': 'br' } }, ...unsupported },
    ...mediaTypes.map((type) => ({
      what: `more bytes than it may have, as ${type}`,
      deviation: { ...typed(type), body: ' '.repeat(bytesMax + 1) },
      status: 413,
      code: 'body_too_large',
    })),
  ];
}

/** Objects whose members a client names. */
const freeMembers = /\/metadata$/;

/** The documented body with a member that nobody knows put into each of its objects in turn. */
function withUnknownMembers(value: unknown, at = ''): { readonly path: string; readonly value: unknown }[] {
  if (Array.isArray(value))
    return value.flatMap((item, i) =>
      withUnknownMembers(item, `${at}/${i}`).map((made) => ({ ...made, value: value.with(i, made.value) })),
    );
  if (typeof value !== 'object' || value === null || freeMembers.test(at)) return [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    withUnknownMembers(member, `${at}/${name}`).map((made) => ({ ...made, value: { ...value, [name]: made.value } })),
  );
  return [{ path: `${at}/zz`, value: { ...value, zz: 1 } }, ...below];
}

function bodyCases(operation: DocumentedOperation, bodyBytesMax: number): Case[] {
  const example = exampleBody(operation);
  const upload = exampleUpload(operation);
  if (upload !== undefined) return uploadCases(upload.mediaTypes, bodyBytesMax);
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
    ...operation.readOnlyMembers.map((name) => ({
      what: `S8: ${name}, which is not for clients to say`,
      deviation: { body: JSON.stringify({ ...example, [name]: 'x' }) },
      status: 400,
      code: 'unknown_field',
      path: `/${name}`,
    })),
    ...withUnknownMembers(example).map(({ path, value }) => ({
      what: `an unknown member ${path}`,
      deviation: { body: JSON.stringify(value) },
      status: 400,
      code: 'unknown_field',
      path,
    })),
    {
      what: 'a body that is too large',
      deviation: { body: ' '.repeat(bodyBytesMax + 1) },
      status: 413,
      code: 'body_too_large',
    },
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
    {
      what: 'a broken gzip stream',
      deviation: { headers: { 'content-encoding': 'gzip' } },
      ...(operation.requestBody?.description.includes('gzip') === true ? malformed : unsupported),
    },
  ];
}

/**
 * Makes the cases of any operation from what the document says of it.
 *
 * @param bodyBytesMax - a longer body is too large for every operation
 */
export function caseGenerator({ bodyBytesMax, ...callers }: Callers & { readonly bodyBytesMax: number }) {
  return (operation: DocumentedOperation): Case[] => [
    ...credentialCases(operation, callers),
    ...queryCases(operation),
    ...bodyCases(operation, bodyBytesMax),
  ];
}
