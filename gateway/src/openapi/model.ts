/** The parts of an OpenAPI 3.1 document that Weir's has. */

/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly example?: unknown;
}

export interface MediaTypeObject {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The permission that the key needs. */
  readonly 'x-weir-permission'?: string;
  /** The optional query parameters that an example of a request has. */
  readonly 'x-weir-example-query'?: readonly string[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: true;
    readonly description: string;
    readonly content: Readonly<Record<string, MediaTypeObject>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** One effective limit of the deployment. */
export interface Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>> & {
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly 'x-weir-limits': readonly Limit[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
