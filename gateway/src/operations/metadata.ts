import { allPermissions } from '@weir/kit/permissions';
import { formatInstant } from '@weir/kit/time';
import { z } from 'zod';
import { type Operation, operation, type RawAnswer } from '../http/operation.js';
import { idText, instantText } from '../schemas/answers.js';

const permissions = z.strictObject({
  organization_id: idText,
  project_id: idText,
  key: z.strictObject({
    id: idText,
    name: z.string(),
    created_at: instantText,
    expires_at: instantText.nullable().meta({ description: 'Null when the key does not expire.' }),
  }),
  permissions: z.array(z.string()).meta({
    description: `What the key may do, in alphabetical order. There are: ${allPermissions.map((name) => `\`${name}\``).join(', ')}.`,
  }),
});

const example: z.output<typeof permissions> = {
  organization_id: '019c1390-0000-7000-8000-0a1b2c3d4e5f',
  project_id: '019c1390-1000-7000-8000-1b2c3d4e5f60',
  key: {
    id: '019c1390-2000-7000-8000-2c3d4e5f6071',
    name: 'Dashboard of the north office',
    created_at: '2026-01-30T08:15:00.000Z',
    expires_at: null,
  },
  permissions: ['developer_api.observations.read', 'developer_api.runs.list'],
};

const tag = 'API metadata';

/**
 * The operations that tell what the API is.
 *
 * @param served - the document and its page, which exist once all operations are declared
 */
export function metadataOperations(served: {
  readonly document: () => RawAnswer;
  readonly page: () => RawAnswer;
}): readonly Operation[] {
  return [
    operation({
      id: 'developerapi_openapi',
      method: 'GET',
      path: '/dev-api/v1/openai.json',
      tag,
      summary: 'Read this document',
      description: 'The OpenAPI 3.1 document of this deployment, with its effective limits.',
      auth: 'none',
      params: {},
      query: {},
      success: {
        status: 200,
        schema: z.looseObject({ openapi: z.string() }),
        example: { openapi: '3.1.0' },
        conditional: true,
      },
      errors: [],
      handle: async () => served.document(),
    }),
    operation({
      id: 'developerapi_docs',
      method: 'GET',
      path: '/dev-api/v1/docs',
      tag,
      summary: 'Show this document as a page',
      auth: 'none',
      params: {},
      query: {},
      success: {
        status: 200,
        schema: z.string(),
        example: '<!doctype html>',
        contentType: 'text/html; charset=utf-8',
        conditional: true,
      },
      errors: [],
      handle: async () => served.page(),
    }),
    operation({
      id: 'developerapi_permissions',
      method: 'GET',
      path: '/dev-api/v1/permissions',
      tag,
      summary: 'Read what the key may do',
      auth: 'developer',
      params: {},
      query: {},
      success: { status: 200, schema: permissions, example },
      errors: [],
      handle: async ({ principal }): Promise<z.output<typeof permissions>> => ({
        organization_id: principal.organizationId,
        project_id: principal.projectId,
        key: {
          id: principal.keyId,
          name: principal.keyName,
          created_at: formatInstant(principal.createdAtUs),
          expires_at: principal.expiresAtUs === undefined ? null : formatInstant(principal.expiresAtUs),
        },
        permissions: [...principal.permissions].sort(),
      }),
    }),
  ];
}
