import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { idBytes, idFromHex } from '../ids/index.js';

/** What a key opens: the Developer API, or ingestion for one connection. */
export type KeyKind = 'developer' | 'ingestion';

/** A key that was just made. The plaintext is shown once and kept nowhere. */
export interface NewKey {
  /** The whole text that a client sends. */
  readonly plaintext: string;
  /** SHA-256 of the secret part: all that is stored of it. */
  readonly secretSha256: Buffer;
  /** The last four characters of the plaintext, to recognize it by. */
  readonly hint: string;
}

/** What a key text says. */
export interface ParsedKey {
  readonly kind: KeyKind;
  /** UUID of the key (developer) or of the connection (ingestion). */
  readonly id: string;
  readonly secretSha256: Buffer;
}

const prefixes = { developer: 'dev', ingestion: 'ing' } as const;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
const secretLength = 43;
const checksumLength = 6;

/**
 * A key's text, for secret scanners too: `weir_(dev|ing)_[0-9a-f]{32}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`.
 * The parts are the kind, the id of what it belongs to, 256 bits of secret in base62, and the CRC32
 * of all that stands before the last underscore, in base62.
 */
const form = /^weir_(dev|ing)_([0-9a-f]{32})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = `${alphabet[Number(rest % 62n)]}${text}`;
  return text;
}

// of every request: numbers, since arithmetic of bigint takes several times as long
function checksum(text: string): string {
  let sum = '';
  for (let rest = crc32(text); sum.length < checksumLength; rest = Math.floor(rest / 62))
    sum = alphabet[rest % 62] + sum;
  return sum;
}

const sha256 = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Makes a key for the record with this id, a UUID in lower-case text. */
export function createKey(kind: KeyKind, id: string): NewKey {
  const secret = base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  const body = `weir_${prefixes[kind]}_${idBytes(id).toString('hex')}_${secret}`;
  const plaintext = `${body}_${checksum(body)}`;
  return { plaintext, secretSha256: sha256(secret), hint: plaintext.slice(-4) };
}

/**
 * Reads a key as a client sent it: form and checksum, nothing that needs a lookup. The caller
 * compares `kind` with what it wants.
 *
 * @returns undefined when the text was never a key of Weir
 */
export function parseKey(text: string): ParsedKey | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, prefix = '', id = '', secret = '', sum = ''] = match;
  if (checksum(text.slice(0, -(checksumLength + 1))) !== sum) return undefined;
  return {
    kind: prefix === prefixes.developer ? 'developer' : 'ingestion',
    id: idFromHex(id),
    secretSha256: sha256(secret),
  };
}
