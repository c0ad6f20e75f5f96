import { faultError, type WeirError } from '@weir/kit/errors';
import type { Secret } from './records.js';

/** A key or connection may have this many live secrets, so that clients can move from one to the other. */
export const liveSecretsMax = 2;

/** The state of a key or connection that a rotation looks at. */
export interface Rotatable {
  readonly secrets: readonly Secret[];
  readonly expiresAtUs?: number | undefined;
  readonly revokedAtUs?: number | undefined;
}

const conflict = (code: string, message: string): WeirError =>
  faultError('lifecycle_conflict', { path: '', code, message });

/**
 * The slot that another secret takes.
 *
 * @throws WeirError `lifecycle_conflict` when it is revoked or expired, or both slots are taken
 */
export function decideSlot(record: Rotatable, nowUs: number): number {
  if (record.revokedAtUs !== undefined) throw conflict('revoked', 'The key is revoked; create another one.');
  if (record.expiresAtUs !== undefined && record.expiresAtUs <= nowUs)
    throw conflict('expired', 'The key has expired; create another one.');
  const taken = record.secrets.filter((secret) => secret.revokedAtUs === undefined).map((secret) => secret.slot);
  const slot = [1, 2].find((candidate) => !taken.includes(candidate));
  if (slot === undefined)
    throw conflict(
      'two_live_secrets',
      `${liveSecretsMax} secrets are live already; revoke the one that is no longer used, then rotate.`,
    );
  return slot;
}
