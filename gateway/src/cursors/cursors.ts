import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { faultError, type WeirError } from '@weir/kit/errors';

/** What a cursor is bound to: it opens only for exactly the same. */
export interface CursorBinding {
  /** `operationId` of the list. */
  readonly operation: string;
  readonly projectId: string;
  /** Id of the Developer API key or of the ingestion connection. */
  readonly keyId: string;
  /** Every filter, order and range by name, as values after parsing; undefined where none was given. */
  readonly filters: Readonly<Record<string, FilterValue>>;
}

/** A filter's value after parsing. */
export type FilterValue = string | number | boolean | undefined | readonly string[];

/** One text for each binding, whatever order its filters are named in. */
export function canonicalBinding(binding: CursorBinding): string {
  const filters = Object.entries(binding.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([binding.operation, binding.projectId, binding.keyId, filters]);
}

/**
 * The layout of a cursor, version 1, before base64url: a durable format, so a change takes a new
 * version and the one before stays readable.
 *
 * | bytes | what |
 * | --- | --- |
 * | 1 | version |
 * | 12 | salt: the cipher's key is HMAC-SHA256(ring key, "weir cursor 1" and the salt) |
 * | 12 | nonce |
 * | any | the position, UTF-8, by AES-256-GCM with version and canonical binding as additional data |
 * | 16 | tag |
 *
 * The binding is authenticated but not carried, so a cursor stays short whatever the filters. A key
 * of its own for each salt, and a salt for so many cursors, keep random nonces safe for any number of cursors.
 */
const version = 1;
const saltBytes = 12;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + saltBytes + nonceBytes;

/** Cursors that are sealed with one salt: random nonces of 96 bits bear 2^32 (NIST SP 800-38D, 8.3). */
const cursorsPerSalt = 2 ** 20;

function invalidCursor(): WeirError {
  const message =
    'The cursor was altered, or filters, order, range, project or key are not those it was answered for; start again without it.';
  return faultError('invalid_cursor', { path: 'query/cursor', code: 'invalid_cursor', message });
}

function cipherKey(ringKey: Buffer, salt: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', ringKey).update(`weir cursor ${version}`).update(salt).digest());
}

function additionalData(binding: CursorBinding): Buffer {
  return Buffer.from(`${version}${canonicalBinding(binding)}`, 'utf8');
}

/** A salt with its key, which costs several times as much to derive as a cursor to seal. */
interface Salted {
  readonly salt: Buffer;
  readonly key: KeyObject;
  cursorsLeft: number;
}

/** Seals positions into opaque cursors and opens them again. */
export class Cursors {
  readonly #keys: readonly Buffer[];
  #salted: Salted | undefined;

  /** @param keys - 32 bytes each; the first seals, all open */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  /** The cursor that stands for a position: a text that only its operation understands. */
  seal(position: string, binding: CursorBinding): string {
    const { salt, key } = this.#saltForOne();
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(additionalData(binding));
    const sealed = cipher.update(position, 'utf8');
    return Buffer.concat([Buffer.of(version), salt, nonce, sealed, cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** The salt for one more cursor. */
  #saltForOne(): Salted {
    if (this.#salted === undefined || this.#salted.cursorsLeft === 0) {
      const [ringKey] = this.#keys;
      if (ringKey === undefined) throw new Error('there is no key to seal cursors with');
      const salt = randomBytes(saltBytes);
      this.#salted = { salt, key: cipherKey(ringKey, salt), cursorsLeft: cursorsPerSalt };
    }
    this.#salted.cursorsLeft--;
    return this.#salted;
  }

  /**
   * The position that a cursor was sealed with.
   *
   * @param bindings - those that it may have
   * @throws WeirError `invalid_cursor` when it was altered or has none of the bindings
   */
  open(cursor: string, ...bindings: readonly CursorBinding[]): string {
    const bytes = Buffer.from(cursor, 'base64url');
    // decoding skips what is not base64url, so a cursor counts only as it was written
    if (bytes.length < headerBytes + tagBytes || bytes[0] !== version || bytes.toString('base64url') !== cursor)
      throw invalidCursor();
    const salt = bytes.subarray(1, 1 + saltBytes);
    const nonce = bytes.subarray(1 + saltBytes, headerBytes);
    const own = this.#salted?.salt.equals(salt) === true ? this.#salted.key : undefined;
    for (const data of bindings.map(additionalData)) {
      for (const ringKey of this.#keys) {
        const decipher = createDecipheriv('aes-256-gcm', own ?? cipherKey(ringKey, salt), nonce);
        decipher.setAAD(data).setAuthTag(bytes.subarray(-tagBytes));
        const position = decipher.update(bytes.subarray(headerBytes, -tagBytes));
        try {
          return Buffer.concat([position, decipher.final()]).toString('utf8');
        } catch {
          // not sealed by this key, or for another binding
        }
      }
    }
    throw invalidCursor();
  }
}
