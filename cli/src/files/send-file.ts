import { createReadStream } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Transform } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A server that knows nothing of `Expect: 100-continue` gets the file after so long. */
const expectMs = 3000;
/** A connection that carries nothing for so long is given up; what was admitted stays, and another try goes on from there. */
const silentMs = 120_000;

/** What one try to send a file needs. */
export interface FileTry {
  readonly url: URL;
  readonly key: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly isCompressed: boolean;
  /** Told how much of the file has been read. */
  readonly onBytes: (bytes: number) => void;
}

/** What the gateway answered. */
export interface FileAnswer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly body: FileBody;
}

/** A row that gave no point. */
export interface RowErrorJson {
  readonly line: number;
  readonly column: number | null;
  readonly code: string;
  readonly message: string;
}

/** The run of a file, as far as it is shown. */
export interface FileRunJson {
  readonly run_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly counts: { readonly rows: number; readonly points: number; readonly errors: number };
  readonly row_errors: readonly RowErrorJson[];
}

/** The body of an answer; another program may have made it. */
export interface FileBody {
  readonly data?: { readonly run: FileRunJson };
  readonly error?: { readonly code: string; readonly message: string };
}

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds from now; 0 for what is neither. */
function readRetryAfter(header: string | undefined): number {
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - Date.now();
  return ms > 0 ? ms : 0;
}

/**
 * Sends a file once. It waits to be asked for the bytes, since a file that was read before is answered without them.
 *
 * @throws when the connection breaks before the answer
 */
export async function sendFile({
  url,
  key,
  idempotencyKey,
  path,
  isCompressed,
  onBytes,
}: FileTry): Promise<FileAnswer> {
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Idempotency-Key': idempotencyKey,
      'Content-Type': 'application/octet-stream',
      Expect: '100-continue',
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    },
  });
  return await new Promise<FileAnswer>((resolve, reject) => {
    let isSending = false;
    const send = (): void => {
      if (isSending) return;
      isSending = true;
      let bytes = 0;
      const counted = new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          bytes += chunk.length;
          onBytes(bytes);
          done(null, chunk);
        },
      });
      const parts = [createReadStream(path), counted, ...(isCompressed ? [createGzip()] : []), request];
      // an answer that came first ends the sending, and is what counts
      pipeline(parts).catch(reject);
    };
    const waiting = setTimeout(send, expectMs);
    request.once('continue', send);
    request.once('error', reject);
    request.setTimeout(silentMs, () => request.destroy(new Error(`${url.host} was silent for ${silentMs / 1000} s.`)));
    request.once('close', () => clearTimeout(waiting));
    request.once('response', (response) => {
      clearTimeout(waiting);
      const retryAfterMs = readRetryAfter(response.headers['retry-after']);
      json(response).then(
        (body) => {
          resolve({ status: response.statusCode ?? 0, retryAfterMs, body: body as FileBody });
          request.destroy();
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
  });
}
