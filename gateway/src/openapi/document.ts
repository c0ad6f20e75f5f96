import type { Operation, Parameter } from '../http/operation.js';
import { description, tagDescriptions } from './description.js';
import type { Limit, OpenApiDocument, OperationObject, ParameterObject } from './model.js';
import { headerComponents, responsesOf, schemaName } from './responses.js';
import { Schemas } from './schemas.js';

const securitySchemes = {
  developerApiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A Developer API key of the project (`weir_dev_…`), as `Authorization: Bearer <key>`.',
  },
  ingestApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The key of an ingestion connection (`weir_ing_…`).',
  },
  ingestBearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The key of an ingestion connection, as `Authorization: Bearer <key>`.',
  },
} as const;

const securityOf: Readonly<Record<Operation['auth'], OperationObject['security']>> = {
  none: [],
  developer: [{ developerApiKey: [] }],
  ingestion: [{ ingestApiKey: [] }, { ingestBearerKey: [] }],
};

function parameterObject(
  name: string,
  place: ParameterObject['in'],
  { description, required, jsonSchema, list, example }: Parameter<unknown>,
): ParameterObject {
  return {
    name,
    in: place,
    required: required || place === 'path',
    description,
    schema: jsonSchema,
    ...(list === true && { style: 'form' as const, explode: false }),
    ...(example !== undefined && { example: list === true ? example.split(',') : example }),
  };
}

function parametersOf({ params, query, headers = {}, success }: Operation): ParameterObject[] {
  const declared = [
    ...Object.entries(params).map(([name, parameter]) => parameterObject(name, 'path', parameter)),
    ...Object.entries(query).map(([name, parameter]) => parameterObject(name, 'query', parameter)),
    ...Object.entries(headers).map(([name, parameter]) => parameterObject(name, 'header', parameter)),
  ];
  if (success.conditional === true) {
    declared.push({
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'Entity tags that the client has.',
      schema: { type: 'string' },
    });
  }
  return declared;
}

/** What stands in a request after its headers. */
function requestBodyOf({ id, body, upload }: Operation, schemas: Schemas): OperationObject['requestBody'] {
  const bound = (bytesMax: number, acceptsGzip: boolean): string =>
    `At most ${bytesMax} bytes${acceptsGzip ? ', after decompression where it is sent with `Content-Encoding: gzip`' : ''}.`;
  if (upload !== undefined) {
    const { mediaTypes, bytesMax, description, example } = upload;
    const media = { schema: { type: 'string', format: 'binary', description }, example };
    return {
      required: true,
      description: bound(bytesMax, true),
      content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, media])),
    };
  }
  if (body === undefined) return undefined;
  const schema = schemas.add(`${schemaName(id)}Request`, schemas.of(body.schema, 'input'));
  return {
    required: true,
    description: bound(body.bytesMax, body.gzip),
    content: { 'application/json': { schema, example: body.example } },
  };
}

function operationObject(operation: Operation, schemas: Schemas): OperationObject {
  const { id, tag, summary, description, auth, permission, exampleQuery } = operation;
  const requestBody = requestBodyOf(operation, schemas);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf[auth],
    ...(permission !== undefined && { 'x-weir-permission': permission }),
    ...(exampleQuery !== undefined && { 'x-weir-example-query': exampleQuery }),
    parameters: parametersOf(operation),
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(operation, schemas),
  };
}

/**
 * The OpenAPI document of declared operations.
 *
 * @throws Error when a declaration cannot be shown: its tag has no description, or two schemas one name
 */
export function buildDocument(
  operations: readonly Operation[],
  deployment: { readonly publicUrl: string; readonly limits: readonly Limit[] },
): OpenApiDocument {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, OperationObject>> = {};
  const tags = new Map<string, string>();
  for (const operation of operations) {
    const tagDescription = tagDescriptions[operation.tag];
    if (tagDescription === undefined) throw new Error(`the tag ${operation.tag} has no description`);
    tags.set(operation.tag, tagDescription);
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(operation, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version: '1.0.0',
      summary: 'Readings of instruments: in over HTTP, out over HTTP.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: deployment.publicUrl, description: 'This deployment.' }],
    tags: [...tags].map(([name, text]) => ({ name, description: text })),
    'x-weir-limits': deployment.limits,
    paths,
    components: { securitySchemes, headers: headerComponents, schemas: schemas.all },
  };
}
