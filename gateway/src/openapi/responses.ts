import { type ErrorCode, errorCodes } from '@weir/kit/errors';
import { codesByStatus } from '../http/answers.js';
import type { Operation } from '../http/operation.js';
import type { JsonSchema, ResponseObject } from './model.js';
import type { Schemas } from './schemas.js';

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of answers, by the name that the document refers to them. */
export const headerComponents = {
  'X-Request-ID': {
    description: 'Identifier of the request; the one that the client sent when it was a fitting one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'Cache-Control': { description: 'Whether and how long the answer may be kept.', schema: { type: 'string' } },
  Vary: { description: 'The headers of the request that the form depends on.', schema: { type: 'string' } },
  ETag: { description: 'Strong entity tag of the document.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'What is wrong with the credential.', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path has.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before the same request is worth sending again.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: { description: 'What is left of the rate limit (IETF RateLimit header).', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The rate limit (IETF RateLimit header).', schema: { type: 'string' } },
} as const;

type HeaderName = keyof typeof headerComponents;

/** Every operation is limited: by its key, or by the address of who calls. */
const limited = ['RateLimit', 'RateLimit-Policy'] as const;

const refs = (names: readonly HeaderName[]) => Object.fromEntries(names.map((name) => [name, header(name)]));

const detail: JsonSchema = {
  type: 'object',
  description: 'One fault.',
  required: ['path', 'code', 'message'],
  properties: {
    path: {
      type: 'string',
      description: 'JSON Pointer into the body, or `query/…`, `path/…`, `header/…` and a name.',
      examples: ['/data/3/site_id'],
    },
    code: { type: 'string', description: 'Stable name of the fault, in snake_case.' },
    message: { type: 'string', description: 'What is wrong and what to do.' },
  },
  additionalProperties: false,
};

/** What each code means, as a list in Markdown. */
function explain(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${errorCodes[code].sentence}`).join('\n');
}

/** The envelope of the errors of one HTTP status. */
function errorSchema(status: number, schemas: Schemas): JsonSchema {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].http === status);
  return schemas.add(`Error${status}`, {
    type: 'object',
    description: `Every answer with status ${status}.`,
    required: ['request_id', 'error'],
    properties: {
      request_id: { type: 'string', description: 'The same as in `X-Request-ID`.' },
      error: {
        type: 'object',
        required: ['code', 'message', 'details'],
        properties: {
          code: { type: 'string', enum: codes, description: explain(codes) },
          message: { type: 'string', description: 'What happened and what to do, for a person.' },
          details: {
            type: 'array',
            maxItems: 50,
            description: 'Every fault that could be told at once.',
            items: schemas.add('ErrorDetail', detail),
          },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  });
}

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const examplePaths: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'query/limit',
  unknown_field: '/colour',
  unknown_query_parameter: 'query/colour',
};

function errorResponse(status: number, codes: readonly ErrorCode[], schemas: Schemas): ResponseObject {
  const [first = 'internal'] = codes;
  const { sentence } = errorCodes[first];
  const path = examplePaths[first];
  const details = path === undefined ? [] : [{ path, code: first, message: sentence }];
  return {
    description: explain(codes),
    headers: refs(['X-Request-ID', ...(headersOfStatus[status] ?? [])]),
    content: {
      'application/json': {
        schema: errorSchema(status, schemas),
        example: { request_id: exampleRequestId, error: { code: first, message: sentence, details } },
      },
    },
  };
}

/** The request id of all examples. */
const exampleRequestId = '019c13a0-5c00-7000-8000-6b1e0c2d3f40';

/** `developerapi_observations_read` as `ObservationsRead`. */
export function schemaName(operationId: string): string {
  return operationId
    .replace(/^developerapi_/, '')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function successResponse(operation: Operation, schemas: Schemas): ResponseObject {
  const { success, auth } = operation;
  const { schema, example, contentType, conditional, streamed } = success;
  const names: HeaderName[] = ['X-Request-ID', 'Cache-Control', ...limited];
  if (streamed !== undefined) {
    const shown = schemas.of(schema, 'output');
    return {
      description: 'Done, when the body ends as HTTP ends one. What fails on the way breaks the connection.',
      headers: refs([...names, 'Vary']),
      content: Object.fromEntries(streamed.map(({ type, example: text }) => [type, { schema: shown, example: text }])),
    };
  }
  if (auth !== 'none') {
    const envelope: JsonSchema = {
      type: 'object',
      required: ['request_id', 'data'],
      properties: {
        request_id: { type: 'string', description: 'The same as in `X-Request-ID`.' },
        data: schemas.of(schema, 'output'),
      },
      additionalProperties: false,
    };
    const named = schemas.add(`${schemaName(operation.id)}Response`, envelope);
    return {
      description: success.status === 201 ? 'Created.' : 'Done.',
      headers: refs(names),
      content: { 'application/json': { schema: named, example: { request_id: exampleRequestId, data: example } } },
    };
  }
  if (conditional === true) names.push('ETag');
  return {
    description: 'Done.',
    headers: refs(names),
    content: { [contentType ?? 'application/json']: { schema: schemas.of(schema, 'output') } },
  };
}

/** Every answer that an operation may give. */
export function responsesOf(operation: Operation, schemas: Schemas): Readonly<Record<string, ResponseObject>> {
  const responses: Record<string, ResponseObject> = {
    [operation.success.status]: successResponse(operation, schemas),
  };
  if (operation.success.conditional === true)
    responses['304'] = {
      description: 'Not changed since the entity tag of `If-None-Match`.',
      headers: refs(['X-Request-ID', 'Cache-Control', ...limited, 'ETag']),
    };
  for (const [status, codes] of codesByStatus(operation)) responses[status] = errorResponse(status, codes, schemas);
  return responses;
}
