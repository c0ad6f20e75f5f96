import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * The Idempotency-Key of a file: the same bytes under the same name for the same parser and site have the
 * same one, so that a folder can be sent again and again.
 */
export async function fileKey(path: string, meaning: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const text of meaning) hash.update(`${Buffer.byteLength(text)}:${text},`);
  await pipeline(createReadStream(path), hash, { end: false });
  return `weir-files-${hash.digest('hex')}`;
}
