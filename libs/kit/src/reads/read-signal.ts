import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs work that changes nothing and that nobody wants any more once the signal aborts: the statements that it runs outside of
 * transactions are ended in the database then, and no further ones begin.
 */
export function inRead<T>(signal: AbortSignal, work: () => T): T {
  return signals.run(signal, work);
}

/** What calls the read in progress off; undefined for work that goes on to its end. */
export function currentReadSignal(): AbortSignal | undefined {
  return signals.getStore();
}
