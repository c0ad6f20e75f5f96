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
  /** Ends the lookup; undefined once it has its answer. */
  lookup: AbortController | undefined;
  /** Requests that wait for the lookup. */
  waiting: number;
}

/**
 * Remembers whose key it is, for a moment. Only the secret's digest is kept. The age counts from the
 * beginning of the lookup, since a key may be revoked right after it was read; concurrent requests
 * share one lookup, which is called off when all of them are gone. What was refused is not remembered.
 */
export class KeyCache<P> {
  readonly #entries: LRUCache<string, Entry<P>>;
  readonly #nowMs: () => number;

  constructor(max: number, nowMs: () => number = () => performance.now()) {
    this.#entries = new LRUCache({ max });
    this.#nowMs = nowMs;
  }

  /**
   * Whose key this is, by what is remembered or else by `lookUp`.
   *
   * @param caller - its signal, which costs something, is looked at only when there is something to wait for
   */
  get(
    { keyId, secretSha256 }: PresentedKey,
    caller: { readonly signal: AbortSignal },
    lookUp: (signal: AbortSignal) => Promise<P>,
  ): Promise<P> {
    const digest = keyId + secretSha256.toString('base64');
    const known = this.#entries.get(digest);
    const isKnown = known !== undefined && this.#nowMs() - known.startedAtMs < keyCacheTtlMs;
    keyLookups.add(1, { 'weir.cache.result': isKnown ? 'hit' : 'miss' });
    const entry = isKnown ? known : this.#begin(digest, lookUp);
    if (entry.lookup !== undefined) this.#wait(digest, entry, caller.signal);
    return entry.principal;
  }

  #begin(digest: string, lookUp: (signal: AbortSignal) => Promise<P>): Entry<P> {
    const lookup = new AbortController();
    const entry: Entry<P> = { startedAtMs: this.#nowMs(), principal: lookUp(lookup.signal), lookup, waiting: 0 };
    this.#entries.set(digest, entry);
    entry.principal.then(
      () => {
        entry.lookup = undefined;
      },
      () => this.#forget(digest, entry),
    );
    return entry;
  }

  /** Counts a request among those that wait, until it is gone. */
  #wait(digest: string, entry: Entry<P>, signal: AbortSignal): void {
    const leave = (): void => {
      if (--entry.waiting > 0 || entry.lookup === undefined) return;
      // who comes now must not wait for what is called off
      this.#forget(digest, entry);
      entry.lookup.abort(signal.reason);
    };
    entry.waiting++;
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }

  #forget(digest: string, entry: Entry<P>): void {
    if (this.#entries.get(digest) === entry) this.#entries.delete(digest);
  }
}
