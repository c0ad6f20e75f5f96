import { createInstruments } from '@weir/kit/metrics';
import type { PresentedKey } from '@weir/proto/access';
import { LRUCache } from 'lru-cache';
import { metrics } from '../metrics.js';

const { keyLookups } = createInstruments(metrics);

/** How long a key is remembered: with the lookup's own time, revocation takes effect within a second. */
export const keyCacheTtlMs = 900;

interface Entry<P> {
  readonly startedAtMs: number;
  readonly principal: Promise<P>;
}

/**
 * Remembers whose key it is, for a moment. Only the secret's digest is kept. The age counts from the
 * beginning of the lookup, since a key may be revoked right after it was read; concurrent requests
 * share one lookup. What was refused is not remembered.
 */
export class KeyCache<P> {
  readonly #entries: LRUCache<string, Entry<P>>;
  readonly #nowMs: () => number;

  constructor(max: number, nowMs: () => number = () => performance.now()) {
    this.#entries = new LRUCache({ max });
    this.#nowMs = nowMs;
  }

  /** Whose key this is, by what is remembered or else by `lookUp`. */
  get({ keyId, secretSha256 }: PresentedKey, lookUp: () => Promise<P>): Promise<P> {
    const digest = keyId + secretSha256.toString('base64');
    const known = this.#entries.get(digest);
    const isKnown = known !== undefined && this.#nowMs() - known.startedAtMs < keyCacheTtlMs;
    keyLookups.add(1, { 'weir.cache.result': isKnown ? 'hit' : 'miss' });
    if (isKnown) return known.principal;
    const entry: Entry<P> = { startedAtMs: this.#nowMs(), principal: lookUp() };
    this.#entries.set(digest, entry);
    entry.principal.catch(() => {
      if (this.#entries.get(digest) === entry) this.#entries.delete(digest);
    });
    return entry.principal;
  }
}
