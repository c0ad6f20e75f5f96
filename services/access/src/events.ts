import type { Logger } from '@weir/kit/log';
import type { Refusal } from './domain/authentication.js';

/** A well-formed key was refused. The caller learns that it was, the log why; nobody learns the secret. */
export function keyRefused(log: Logger, kind: 'developer' | 'ingestion', keyId: string, reason: Refusal): void {
  log.info({ kind, key_id: keyId, reason }, 'key refused');
}

/** When keys were last used could not be stored; it is tried again. */
export function lastUseNotStored(log: Logger, error: unknown): void {
  log.warn({ err: error }, 'last use of keys not stored');
}
