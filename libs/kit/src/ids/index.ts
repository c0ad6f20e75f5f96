import { nanoid } from 'nanoid';

export { greatestId, idTimeUs, leastIdAt } from './id-time.js';
export { newId } from './new-id.js';
export { batchRunsMax, parseRunId, runId, runIds } from './run-id.js';

/** A new id of a widget, calculation or calculation input: 21 characters of `[A-Za-z0-9_-]`. */
export function newShortId(): string {
  return nanoid();
}

/** The id of a widget, a calculation or a calculation input. */
export const shortIdPattern = /^[A-Za-z0-9_-]{21}$/;

/** What such an id must be, for a person. */
export const shortIdRule = 'Give 21 characters, each a letter from A to Z or a to z, a digit, - or _.';

/** Whether a text can be the id of a widget, a calculation or a calculation input. */
export function isShortId(text: string): boolean {
  return shortIdPattern.test(text);
}

/** Whether a text is a UUID in the lower-case form that Weir gives out. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** A UUID's 16 bytes. The text must satisfy `isId`. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The UUID of 32 hexadecimal digits. */
export function idFromHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The UUID of 16 bytes at `offset`. */
export function idFromBytes(bytes: Uint8Array, offset = 0): string {
  return idFromHex(Buffer.from(bytes.buffer, bytes.byteOffset + offset, 16).toString('hex'));
}
