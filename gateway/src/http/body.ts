import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { WeirError } from '@weir/kit/errors';
import { addIssues } from '@weir/kit/faults';
import { parse } from 'content-type';
import { countHeader } from './count-header.js';
import { declaresBody } from './drain.js';
import type { Exchange } from './exchange.js';
import type { Faults } from './faults.js';
import type { Holding } from './held-bytes.js';
import { checkJson, decodeText, hasEscapes, parseJson } from './json.js';
import { jsonExcess, jsonWeighedBytes } from './json-excess.js';
import type { Body } from './operation.js';

/** A gzip stream may grow by this factor, and a small one to `gzipFloorBytes` in any case. */
export const gzipRatioMax = 200;
export const gzipFloorBytes = 256 * 1024;

/** What a chunk takes of memory beside its bytes, of which a sender may put one into each. */
const chunkBytes = 256;

const gunzipAll = promisify(gunzip);

function checkType(req: IncomingMessage): void {
  const header = req.headers['content-type'];
  const count = countHeader(req, 'content-type');
  const { type, parameters } = parse(header ?? '');
  if (type !== 'application/json' || count > 1)
    throw new WeirError('unsupported_media_type', 'Send the body as Content-Type: application/json.');
  const charset = parameters['charset'];
  // of two charsets the parser tells only one
  const isRepeated = (header?.match(/;\s*charset\s*=/gi)?.length ?? 0) > 1;
  if (isRepeated || (charset !== undefined && charset.toLowerCase() !== 'utf-8'))
    throw new WeirError('unsupported_media_type', 'Send the body in UTF-8.');
}

/** Whether the body is compressed. @throws WeirError for an encoding that is not accepted */
export function readEncoding(req: IncomingMessage, acceptsGzip: boolean): boolean {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return false;
  if (acceptsGzip && (encoding === 'gzip' || encoding === 'x-gzip')) return true;
  throw new WeirError(
    'unsupported_media_type',
    acceptsGzip ? 'Send the body plain or with Content-Encoding: gzip.' : 'Send the body without a Content-Encoding.',
  );
}

/** A body has more bytes than its operation takes. */
export function tooLarge(bytesMax: number): WeirError {
  return new WeirError('body_too_large', `The body may have at most ${bytesMax} bytes; send less at a time.`);
}

/** Refuses a body that says it is too long, before any of it is asked for. */
export function checkDeclaredLength(req: IncomingMessage, bytesMax: number): void {
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

/**
 * Reads what arrives up to a limit; the rest stays unread.
 *
 * @param holding - where the bytes are counted that were received
 */
async function collect(exchange: Exchange, bytesMax: number, holding?: Holding): Promise<Buffer> {
  const { req, res, abortReason } = exchange;
  if (abortReason !== undefined) throw abortReason;
  const received = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    chunks.push(chunk);
    try {
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      holding?.holds(bytes + chunks.length * chunkBytes);
    } catch (error) {
      req.pause();
      received.reject(error as WeirError);
    }
  };
  req.on('data', onData);
  req.once('end', received.resolve);
  if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
  try {
    await exchange.within(received.promise);
  } finally {
    req.removeListener('data', onData);
    req.removeListener('end', received.resolve);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** What a gzip stream says at its end that it grows to; one of several members says that of the last. */
function claimedLength(bytes: Buffer): number {
  return bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
}

/** Decompresses within the limit and the ratio; a broken stream is a fault. */
async function inflate(bytes: Buffer, bytesMax: number, holding: Holding, faults: Faults): Promise<Buffer> {
  const ratioBytesMax = Math.max(bytes.length * gzipRatioMax, gzipFloorBytes);
  const allowed = Math.min(bytesMax, ratioBytesMax);
  const claimed = Math.min(Math.max(claimedLength(bytes), 1), allowed);
  const inflateTo = async (maxOutputLength: number): Promise<Buffer> => {
    holding.holds(bytes.length + maxOutputLength);
    return await gunzipAll(bytes, { maxOutputLength });
  };
  try {
    const inflated = await inflateTo(claimed).catch((error: unknown) => {
      if (!(error instanceof RangeError) || claimed === allowed) throw error;
      // it grows to more than it said
      return inflateTo(allowed);
    });
    holding.holds(inflated.length);
    return inflated;
  } catch (error) {
    if (error instanceof WeirError) throw error;
    if (error instanceof RangeError) {
      throw ratioBytesMax < bytesMax
        ? new WeirError(
            'body_too_large',
            `The body grows more than ${gzipRatioMax} times when decompressed; send it plain.`,
          )
        : tooLarge(bytesMax);
    }
    faults.add('', 'malformed_json', 'The body is not a whole gzip stream.');
    return bytes;
  }
}

/**
 * Receives a declared body: media type and encoding (415), then size (413).
 *
 * @returns its bytes, decompressed
 * @throws WeirError for what stands before the body's shape
 */
export async function receiveBody(
  exchange: Exchange,
  body: Body<unknown>,
  holding: Holding,
  faults: Faults,
): Promise<Buffer> {
  const { req } = exchange;
  checkType(req);
  const isCompressed = readEncoding(req, body.gzip);
  checkDeclaredLength(req, body.bytesMax);
  exchange.isReading = true;
  const bytes = await collect(exchange, body.bytesMax, holding);
  exchange.isReading = false;
  holding.holds(bytes.length);
  return isCompressed ? await inflate(bytes, body.bytesMax, holding, faults) : bytes;
}

/** Reads received bytes by what is declared; the result is of use only when no fault was reported. */
export function readBody(bytes: Buffer, body: Body<unknown>, faults: Faults): unknown {
  const weighedBytes = jsonWeighedBytes[body.read === undefined ? 'schema' : 'points'];
  const excess = bytes.length > weighedBytes ? jsonExcess(bytes) : undefined;
  if (excess !== undefined) {
    faults.add('', excess.code, excess.message);
    return undefined;
  }
  const text = decodeText(bytes, faults);
  const json = text === undefined ? undefined : parseJson(text, faults);
  if (text === undefined || json === undefined) return undefined;
  if (body.read === undefined) {
    if (!checkJson(json, faults)) return undefined;
    const parsed = body.schema.safeParse(json, { reportInput: true });
    if (parsed.success) return parsed.data;
    addIssues(parsed.error.issues, faults);
    return undefined;
  }
  if (hasEscapes(text) && !checkJson(json, faults)) return undefined;
  try {
    return body.read(json);
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    faults.addError(error);
    return undefined;
  }
}

/** Whether a request that must have no body brings one: waits for a first byte where only chunks can tell. */
export async function hasUnexpectedBody(exchange: Exchange, bytesMax: number): Promise<boolean> {
  const { req } = exchange;
  if (!declaresBody(req)) return false;
  checkDeclaredLength(req, bytesMax);
  if (req.headers['transfer-encoding'] === undefined) return true;
  exchange.isReading = true;
  try {
    return (await collect(exchange, 0)).length > 0;
  } catch (error) {
    if (error instanceof WeirError && error.code === 'body_too_large') return true;
    throw error;
  } finally {
    exchange.isReading = false;
  }
}
