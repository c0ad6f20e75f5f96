import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { faultError, WeirError } from '@weir/kit/errors';
import { parse } from 'content-type';
import { checkDeclaredLength, gzipFloorBytes, gzipRatioMax, readEncoding, tooLarge } from './body.js';
import type { Exchange } from './exchange.js';
import type { Upload, UploadBody } from './operation.js';

function checkType(req: IncomingMessage, { mediaTypes }: UploadBody): void {
  const { type, parameters } = parse(req.headers['content-type'] ?? '');
  const count = req.headersDistinct['content-type']?.length ?? 0;
  if (!mediaTypes.includes(type) || count > 1)
    throw new WeirError('unsupported_media_type', `Send the body as Content-Type: ${mediaTypes.join(' or ')}.`);
  const charset = parameters['charset'];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8')
    throw new WeirError(
      'unsupported_media_type',
      'Leave the charset out: the parser tells how the bytes of a file are read.',
    );
}

function waitsToBeAsked(req: IncomingMessage): boolean {
  return /^100-continue$/i.test(req.headers.expect ?? '');
}

/** What arrives, chunk by chunk as it is taken; nothing is asked for before. */
async function* receive(exchange: Exchange): AsyncGenerator<Buffer, void, undefined> {
  const { req, res, signal } = exchange;
  const chunks: Buffer[] = [];
  let isEnded = req.readableEnded;
  let wake = (): void => undefined;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    req.pause();
    wake();
  };
  const onEnd = (): void => {
    isEnded = true;
    wake();
  };
  const onAbort = (): void => wake();
  req.on('data', onData);
  req.once('end', onEnd);
  signal.addEventListener('abort', onAbort);
  try {
    if (waitsToBeAsked(req)) res.writeContinue();
    while (true) {
      signal.throwIfAborted();
      const chunk = chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (isEnded) return;
      else {
        exchange.isReading = true;
        await new Promise<void>((resolve) => {
          wake = resolve;
          req.resume();
        });
        exchange.isReading = false;
      }
    }
  } finally {
    req.pause();
    req.removeListener('data', onData);
    req.removeListener('end', onEnd);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Decompresses within a bound of growth; a broken stream is a fault. */
async function* inflate(received: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytesIn = 0;
  let bytesOut = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of received) {
      bytesIn += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({ chunkSize: 65_536 });
  pipeline(counted, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytesOut += chunk.length;
      if (bytesOut > Math.max(bytesIn * gzipRatioMax, gzipFloorBytes))
        throw new WeirError(
          'body_too_large',
          `The body grows more than ${gzipRatioMax} times when decompressed; send it plain.`,
        );
      yield chunk;
    }
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (!isBroken) throw error;
    const message = 'The body is not a whole gzip stream.';
    throw faultError('invalid_request', { path: '', code: 'malformed_gzip', message });
  }
}

async function* withinSize(chunks: AsyncGenerator<Buffer>, bytesMax: number): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    yield chunk;
  }
}

/**
 * Opens a body that the handler reads: media type and encoding (415), then the size that it declares
 * (413) are checked here, the rest while it is read.
 */
export function openUpload(exchange: Exchange, body: UploadBody): Upload {
  const { req } = exchange;
  checkType(req, body);
  const isCompressed = readEncoding(req, true);
  checkDeclaredLength(req, body.bytesMax);
  const length = req.headers['content-length'];
  const received = receive(exchange);
  return {
    chunks: withinSize(isCompressed ? inflate(received) : received, body.bytesMax),
    bytesTotal: isCompressed || length === undefined ? undefined : Number(length),
    async skip() {
      if (waitsToBeAsked(req)) return;
      for await (const _ of withinSize(received, body.bytesMax));
    },
  };
}
