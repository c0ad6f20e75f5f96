import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import type { Refusal } from './domain/authentication.js';
import { metrics } from './metrics.js';

const { refused, usesNotStored } = createInstruments(metrics);

/** A well-formed key was refused. The caller learns that it was, the log why; nobody learns the secret. */
export function keyRefused(log: Logger, kind: 'developer' | 'ingestion', keyId: string, reason: Refusal): void {
  refused.add(1, { 'weir.key.kind': kind, 'weir.reason': reason });
  log.info({ kind, key_id: keyId, reason }, 'key refused');
}

/** When keys were last used could not be stored; it is tried again. */
export function lastUseNotStored(log: Logger, error: unknown): void {
  usesNotStored.add(1);
  log.warn({ err: error }, 'last use of keys not stored');
}
