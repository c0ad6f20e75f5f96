import { createHash } from 'node:crypto';
import { RawAnswer } from '../http/operation.js';

/** A text that is the same for everybody until the process ends, with its strong entity tag. */
export function servedText(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return new RawAnswer(
    200,
    { 'Content-Type': contentType, ETag: etag, 'Cache-Control': 'public, max-age=60', ...headers },
    Buffer.from(text),
  );
}
