import { hasUnexpectedBody, readBody, receiveBody } from './body.js';
import type { Exchange } from './exchange.js';
import { Faults } from './faults.js';
import type { Holding } from './held-bytes.js';
import { negotiateType } from './negotiate.js';
import type { Operation, OperationRequest, Parameter, QueryRule } from './operation.js';
import { readQuery } from './query.js';
import { openUpload } from './upload.js';

/** The request that the handlers of all operations can be given. */
export type AnyRequest = OperationRequest<never, Record<string, never>, Record<string, never>, unknown>;

/**
 * A request as its operation gets it. An object literal with these getters would have a hidden class of its own, which V8
 * keeps, with the exchange and all that belongs to it, until it collects all garbage. What spreads it loses them.
 */
class ReceivedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly upload: unknown;
  readonly mediaType: unknown;
  readonly principal: unknown;
  readonly requestId: string;
  readonly #exchange: Exchange;
  readonly #headers: ReadonlyMap<string, string>;

  constructor(
    exchange: Exchange,
    headers: ReadonlyMap<string, string>,
    { params, query, body, upload, mediaType }: Record<'params' | 'query' | 'body' | 'upload' | 'mediaType', unknown>,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.upload = upload;
    this.mediaType = mediaType;
    this.principal = exchange.principal;
    this.requestId = exchange.requestId;
    this.#exchange = exchange;
    this.#headers = headers;
  }

  /** Made only for those who look at it. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get aborted(): boolean {
    return this.#exchange.abortReason !== undefined;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name.toLowerCase());
  }
}

/** What a text must be for a parameter to read it, for a person. */
export const textRule = 'A value is UTF-8 without NUL, escaped with % where a URL demands it.';

function readText(parameter: Parameter<unknown>, text: string, path: string, faults: Faults): unknown {
  if (text === '') faults.add(path, 'empty_value', 'Give a value, or leave the header out.');
  else if (text.includes('\0')) faults.add(path, 'invalid_text', textRule);
  else {
    const parsed = parameter.parse(text);
    if ('value' in parsed) return parsed.value;
    faults.add(path, parsed.fault.code, parsed.fault.message);
  }
  return undefined;
}

function readParams(operation: Operation, raw: Readonly<Record<string, string>>, faults: Faults) {
  const values: Record<string, unknown> = {};
  for (const name in operation.params) {
    const parameter = operation.params[name];
    if (parameter !== undefined) values[name] = readText(parameter, raw[name] ?? '', `path/${name}`, faults);
  }
  return values;
}

/** Checks the declared headers. @returns their texts by lower-case name */
function readHeaders(operation: Operation, exchange: Exchange, faults: Faults): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, parameter] of Object.entries(operation.headers ?? {})) {
    const value = exchange.req.headers[name.toLowerCase()];
    if (value === undefined) {
      if (parameter.required) faults.add(`header/${name}`, 'required', 'This header must be given.');
      continue;
    }
    const text = Array.isArray(value) ? value.join(', ') : value;
    readText(parameter, text, `header/${name}`, faults);
    texts.set(name.toLowerCase(), text);
  }
  return texts;
}

function checkRules(rules: readonly QueryRule[], query: Readonly<Record<string, unknown>>, faults: Faults): void {
  for (const { of, beside = [], code, faultOf } of rules) {
    if ([...of, ...beside].some((name) => faults.hasAt(`query/${name}`))) continue;
    const message = faultOf(query);
    if (message !== undefined) for (const name of of) faults.add(`query/${name}`, code, message);
  }
}

/** What stands after the `?` of a request target. */
function searchOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at + 1);
}

/**
 * Reads path, query, headers and body by what the operation declares: media type (415) and size (413)
 * first, then everything that is not of the declared shape at once (400).
 */
export async function readRequest(
  operation: Operation,
  exchange: Exchange,
  rawParams: Readonly<Record<string, string>>,
  bodyBytesMax: number,
  holding: Holding,
): Promise<AnyRequest> {
  const { req } = exchange;
  const bodyFaults = new Faults();
  let isUnexpected = false;
  let bytes: Buffer | undefined;
  const upload = operation.upload && openUpload(exchange, operation.upload);
  if (operation.body === undefined && upload === undefined)
    isUnexpected = await hasUnexpectedBody(exchange, bodyBytesMax);
  else if (operation.body !== undefined) bytes = await receiveBody(exchange, operation.body, holding, bodyFaults);

  const faults = new Faults();
  const params = readParams(operation, rawParams, faults);
  const query = readQuery(searchOf(req.url ?? ''), operation.query, faults);
  checkRules(operation.queryRules ?? [], query, faults);
  const headers = readHeaders(operation, exchange, faults);
  if (isUnexpected) faults.add('', 'unexpected_body', 'This operation takes no body; send none.');
  faults.addAll(bodyFaults);
  const isBroken = bodyFaults.hasAny;
  const body =
    operation.body === undefined || bytes === undefined || isBroken
      ? undefined
      : readBody(bytes, operation.body, faults);
  faults.throwIfAny();
  const mediaType = operation.success.streamed && negotiateType(req.headers.accept, operation.success.streamed);
  const values = { params, query, body, upload, mediaType };
  return new ReceivedRequest(exchange, headers, values) as unknown as AnyRequest;
}
