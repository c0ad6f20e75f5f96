import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { codesByStatus } from './answers.js';
import type { Operation } from './operation.js';
import { cursor, id, optional, required } from './parameters.js';
import { compileRoutes } from './routes.js';

const withoutPermission: Operation = {
  id: 'a',
  method: 'GET',
  path: '/dev-api/v1/p/{project_id}/things',
  tag: 'Things',
  summary: 'List',
  auth: 'developer',
  params: { project_id: required(id, 'The project.') },
  query: {},
  success: { status: 200, schema: z.unknown(), example: {} },
  errors: [],
  handle: async () => ({}),
};
const base: Operation = { ...withoutPermission, permission: 'developer_api.sites.list' };
const body = { schema: z.strictObject({}), bytesMax: 10, gzip: false, example: {} };

describe('routes', () => {
  test('tell the methods of a path', () => {
    const [route] = compileRoutes([base, { ...base, id: 'b', method: 'POST', body }], 1000);
    expect(route?.allow).toBe('GET, HEAD, OPTIONS, POST');
    expect(route?.endpoints.get('HEAD')).toBe(route?.endpoints.get('GET'));
  });

  test.each<[string, Operation[]]>([
    ['two of one id', [base, { ...base, method: 'POST' }]],
    ['two of one method and path', [base, { ...base, id: 'b' }]],
    ['a parameter that is not in the path', [{ ...base, path: '/things' }]],
    ['a parameter that is not declared', [{ ...base, params: {} }]],
    ['a GET with a body', [{ ...base, body }]],
    ['an operation of a project without a permission', [withoutPermission]],
    ['a permission that no key is asked for', [{ ...base, auth: 'none' }]],
  ])('refuse %s', (_, operations) => {
    expect(() => compileRoutes(operations, 1000)).toThrow();
  });
});

describe('codes by status', () => {
  const codes = (operation: Operation) => Object.fromEntries(codesByStatus(operation));

  test('follow from what an operation takes', () => {
    const read = codes(base);
    expect(read[400]).toEqual(['invalid_request', 'unknown_query_parameter', 'unexpected_body']);
    expect(read[415]).toBeUndefined();
    expect(codes({ ...base, query: { cursor: optional(cursor, 'Where.') } })[429]).toContain('cursor_too_large');
    const write = codes({ ...base, method: 'POST', body, errors: ['name_conflict'] });
    expect(write[400]).toEqual(['invalid_request', 'unknown_query_parameter', 'unknown_field', 'malformed_json']);
    expect(write[415]).toEqual(['unsupported_media_type']);
    expect(write[409]).toEqual(['name_conflict']);
  });
});
