import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool, sql } from '@weir/kit/sql';

/** Logs are looked through in pieces, each with the end of the one before. */
const chunkBytes = 8 * 1024 * 1024;
const longestChars = 256;

/** Tells whether a text has a key, a secret of one or its digest in it. */
export type KeyFinder = (text: string) => readonly string[];

/** How a digest may come to be written. */
const formsOf = (digest: Buffer): string[] => [
  digest.toString('hex'),
  digest.toString('base64url'),
  digest.toString('base64').slice(0, 43),
  digest.join(','),
];

/**
 * Finds whatever looks like a key, and the secrets and digests of those that a database knows.
 *
 * @param digests - SHA-256 of each secret
 */
export function keyFinder(digests: readonly Buffer[]): KeyFinder {
  const known = new Set(digests.map((digest) => digest.toString('hex')));
  const forms = digests.flatMap(formsOf);
  return (text) => [
    ...[...text.matchAll(/weir_(?:dev|ing)_[0-9a-f]{32}_[0-9A-Za-z]{43}/g)].map(([key]) => key),
    ...[...text.matchAll(/(?<![0-9A-Za-z])[0-9A-Za-z]{43}(?![0-9A-Za-z])/g)]
      .map(([secret]) => secret)
      .filter((secret) => known.has(createHash('sha256').update(secret).digest('hex'))),
    ...forms.filter((form) => text.includes(form)),
  ];
}

/** Finds the keys of a whole database. */
export async function keyFinderOf(databaseUrl: string): Promise<KeyFinder> {
  await using database = openPool({ url: databaseUrl, max: 1 });
  const { rows } = await database.query(sql`select secret_sha256 from access.secrets`);
  return keyFinder(rows.map((row) => row['secret_sha256'] as Buffer));
}

/** S3: fails when one of the logs in a folder has a key of the database in it, or what looks like one. */
export async function assertNoKeys(databaseUrl: string, directory: string): Promise<void> {
  const find = await keyFinderOf(databaseUrl);
  for (const name of (await readdir(directory)).filter((each) => each.endsWith('.log'))) {
    const path = join(directory, name);
    let rest = '';
    for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: chunkBytes })) {
      const text = rest + (chunk as string);
      const [found] = find(text);
      if (found !== undefined) throw new Error(`S3: ${path} has a key or its digest in it: ${found}`);
      rest = text.slice(-longestChars);
    }
  }
}
