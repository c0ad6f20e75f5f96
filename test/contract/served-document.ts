import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

/** As much of a JSON Schema as tests look at. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-weir-permission'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly headers: object; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly 'x-weir-limits': readonly { readonly name: string; readonly value: number }[];
}

/** An operation as the served document describes it. */
export interface DocumentedOperation extends Described {
  readonly method: string;
  readonly path: string;
  /** The kind of key it wants. */
  readonly keyKind: 'developer' | 'ingestion' | undefined;
  /** Members of the record that it answers and that its body must not have. */
  readonly readOnlyMembers: readonly string[];
}

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The error of an answer. */
export function errorOf(answer: Answer): { readonly code: string; readonly details: { readonly path: string }[] } {
  return JSON.parse(answer.text).error;
}

function keyKindOf({ security }: Described): DocumentedOperation['keyKind'] {
  if (security.length === 0) return undefined;
  return security.some((scheme) => 'developerApiKey' in scheme) ? 'developer' : 'ingestion';
}

/** The names that a schema knows at its top. */
function memberNames(schema: Schema, schemas: Document['components']['schemas']): string[] {
  const { $ref, properties = {}, anyOf = [] } = schema;
  const named = $ref === undefined ? [] : [schemas[$ref.split('/').at(-1) ?? ''] as Schema];
  return [...Object.keys(properties), ...[...named, ...anyOf].flatMap((each) => memberNames(each, schemas))];
}

function readOnlyMembersOf(
  { requestBody, responses }: Described,
  schemas: Document['components']['schemas'],
): string[] {
  const content = requestBody?.content['application/json'];
  const answer = (responses['201'] ?? responses['200'])?.content?.['application/json']?.example;
  if (content === undefined || answer === undefined) return [];
  const { data } = answer as { data: Readonly<Record<string, object>> };
  const record = data['resource'] ?? data['dashboard'] ?? data;
  const accepted = new Set(memberNames(content.schema, schemas));
  return Object.keys(record).filter((name) => !accepted.has(name));
}

/** Whether an operation makes a record. */
export function isCreate({ method, responses }: DocumentedOperation): boolean {
  return method === 'POST' && '201' in responses;
}

/** Reads the document that a gateway serves, and makes what checks answers against it. */
export async function readServedDocument(gatewayUrl: string) {
  const document = (await (await fetch(`${gatewayUrl}/dev-api/v1/openai.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]): DocumentedOperation => ({
        ...described,
        path,
        method: method.toUpperCase(),
        keyKind: keyKindOf(described),
        readOnlyMembers: readOnlyMembersOf(described, document.components.schemas),
      }),
    ),
  );
  const checkSchema = (pointer: string, value: unknown): void => {
    const validate = ajv.getSchema(`document#${pointer}`);
    if (validate === undefined) throw new Error(`the document has no schema at ${pointer}`);
    expect(validate(value) === true ? [] : validate.errors, pointer).toEqual([]);
  };
  const escape = (token: string): string => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));

  return {
    operations,
    schemas: document.components.schemas,
    limits: new Map(document['x-weir-limits'].map(({ name, value }) => [name, value])),
    /**
     * Checks that an answer is one that the document knows: its status, its media type, its body by the
     * schema of the status, its headers, and the request id in both places. 405 is documented for the Developer
     * API only, since a method that a path lacks is no operation.
     */
    check(operation: DocumentedOperation, answer: Answer): void {
      const { status, headers, text } = answer;
      const requestId = headers.get('x-request-id');
      expect(requestId).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      if (status === 405) {
        checkSchema('/components/schemas/Error405', JSON.parse(text));
        return;
      }
      const described = operation.responses[String(status)];
      if (described === undefined) throw new Error(`${operation.operationId} does not document ${status}: ${text}`);
      for (const name of Object.keys(described.headers)) expect(headers.get(name), name).not.toBeNull();
      const mediaType = (headers.get('content-type') ?? '').replace(/ /g, '');
      const documented = Object.keys(described.content ?? {}).find((type) => type.replace(/ /g, '') === mediaType);
      if (documented === undefined) throw new Error(`${operation.operationId} answers ${status} as ${mediaType}`);
      const place = [
        operation.path,
        operation.method.toLowerCase(),
        'responses',
        String(status),
        'content',
        documented,
      ];
      const value: unknown = mediaType === 'application/json' ? JSON.parse(text) : text;
      checkSchema(`/paths/${place.map(escape).join('/')}/schema`, value);
      if ((operation.keyKind !== undefined && mediaType === 'application/json') || status >= 400)
        expect((value as { request_id: string }).request_id).toBe(requestId);
      if (operation.keyKind !== undefined && status < 300) expect(headers.get('cache-control')).toBe('no-store');
      if (status === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="weir", error="[a-z_]+"$/);
      if (status === 429 || status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    },
  };
}
