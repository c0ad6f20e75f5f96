import { randomBytes, timingSafeEqual } from 'node:crypto';
import { liveSecretsMax } from './rotation.js';

/** What is known of the key that was presented. */
export interface Candidate {
  readonly nowUs: number;
  readonly expiresAtUs?: number | undefined;
  readonly revokedAtUs?: number | undefined;
  /** SHA-256 of each live secret. */
  readonly liveDigests: readonly Uint8Array[];
}

/** Why a key was refused: for the log, never for the caller. */
export type Refusal = 'unknown' | 'wrong_secret' | 'revoked' | 'expired';

/** Nobody has a secret with this digest. */
const noDigest = randomBytes(32);

/**
 * Whether a presented secret opens a key; undefined when it does. Every call compares as many
 * digests in constant time, whatever is known of the key.
 *
 * @param candidate - undefined when there is no such key
 * @param digest - SHA-256 of the presented secret
 */
export function decideAuthentication(candidate: Candidate | undefined, digest: Uint8Array): Refusal | undefined {
  const isDigest = digest.length === noDigest.length;
  const presented = isDigest ? digest : noDigest;
  const live = candidate?.liveDigests ?? [];
  let matches = 0;
  for (let slot = 0; slot < liveSecretsMax; slot++) {
    const isEqual = timingSafeEqual(presented, live[slot] ?? noDigest);
    if (isEqual && isDigest && slot < live.length) matches++;
  }
  if (candidate === undefined) return 'unknown';
  if (candidate.revokedAtUs !== undefined) return 'revoked';
  if (matches === 0) return 'wrong_secret';
  if (candidate.expiresAtUs !== undefined && candidate.expiresAtUs <= candidate.nowUs) return 'expired';
  return undefined;
}
