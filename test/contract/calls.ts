import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer, DocumentedOperation } from './served-document.js';

/** An id of nothing. */
const unknownId = '01920000-0000-7000-8000-000000000000';

/** What a call deviates in from the documented one. */
export interface Deviation {
  /** null: no key at all */
  readonly key?: string | null;
  readonly method?: string;
  /** Values of path parameters; those of nothing unless given. */
  readonly path?: Readonly<Record<string, string>>;
  /** Query parameters to set or (undefined) to leave out; those with a documented example have it. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Calls operations by their documented examples. */
export interface Caller {
  (operation: DocumentedOperation, deviation?: Deviation): Promise<Answer>;
}

/** The documented example of a body; undefined when the operation takes none. */
export function exampleBody(operation: DocumentedOperation): unknown {
  return operation.requestBody?.content['application/json']?.example;
}

/** The media types that an operation takes a file as, with a documented example; undefined when it takes none. */
export function exampleUpload({ requestBody }: DocumentedOperation) {
  const mediaTypes = Object.keys(requestBody?.content ?? {});
  const [mediaType] = mediaTypes;
  if (mediaType === undefined || mediaType === 'application/json') return undefined;
  return { mediaType, mediaTypes, text: String(requestBody?.content[mediaType]?.example) };
}

/** A value of a path parameter that names nothing, but has its form. */
export function unknownValue({ parameters }: DocumentedOperation, name: string): string {
  const pattern = parameters.find((parameter) => parameter.name === name)?.schema.pattern ?? '';
  return pattern.includes('{21}') ? '-'.repeat(21) : unknownId;
}

function targetOf(operation: DocumentedOperation, { path = {}, query = {} }: Deviation): string {
  const target = operation.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? unknownValue(operation, name)),
  );
  const pairs = new URLSearchParams();
  for (const { name, in: place, required, example } of operation.parameters) {
    if (place === 'query' && (required || example !== undefined) && !(name in query)) pairs.set(name, String(example));
  }
  for (const [name, value] of Object.entries(query)) {
    for (const one of value === undefined ? [] : [value].flat()) pairs.append(name, one);
  }
  return pairs.size === 0 ? target : `${target}?${pairs}`;
}

/** One request; unlike fetch, it sends a body with any method. */
async function send(
  url: string,
  { body, ...options }: { method: string; headers: Record<string, string>; body: string | Uint8Array | undefined },
): Promise<Answer> {
  const sent = request(url, options);
  if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body));
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) headers.append(name, value);
  return { status: response.statusCode ?? 0, headers, text: await text(response) };
}

/**
 * @param keys - the key of each kind that may do everything
 * @param projectId - the project in paths, unless a deviation gives another
 */
export function createCaller(
  gatewayUrl: string,
  keys: { readonly developer: string; readonly ingestion: string },
  projectId: string,
): Caller {
  return async (operation, deviation = {}) => {
    const { keyKind } = operation;
    const key = deviation.key === undefined ? (keyKind === undefined ? null : keys[keyKind]) : deviation.key;
    const example = exampleBody(operation);
    const upload = exampleUpload(operation);
    const body = deviation.body ?? upload?.text ?? (example === undefined ? undefined : JSON.stringify(example));
    const mediaType = example === undefined ? upload?.mediaType : 'application/json';
    return await send(
      gatewayUrl + targetOf(operation, { ...deviation, path: { project_id: projectId, ...deviation.path } }),
      {
        method: deviation.method ?? operation.method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
          ...deviation.headers,
        },
        body: deviation.method === 'OPTIONS' || deviation.method === 'HEAD' ? undefined : body,
      },
    );
  };
}
