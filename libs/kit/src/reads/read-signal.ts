import { AsyncLocalStorage } from 'node:async_hooks';

const calls = new AsyncLocalStorage<{ readonly signal: AbortSignal; readonly isRead: boolean }>();

/**
 * Runs work that changes nothing and that nobody wants any more once the signal aborts: the statements that it runs outside of
 * transactions are ended in the database then, and no further ones begin.
 */
export function inRead<T>(signal: AbortSignal, work: () => T): T {
  return calls.run({ signal, isRead: true }, work);
}

/** Runs work that goes on to its end once it has begun, and may ask before that whether anybody still waits for it. */
export function inChange<T>(signal: AbortSignal, work: () => T): T {
  return calls.run({ signal, isRead: false }, work);
}

/** What calls the read in progress off; undefined for work that goes on to its end. */
export function currentReadSignal(): AbortSignal | undefined {
  const call = calls.getStore();
  return call?.isRead === true ? call.signal : undefined;
}

/** Aborts when nobody waits for the read or change in progress any more; undefined for streams, and outside of calls. */
export function currentCallSignal(): AbortSignal | undefined {
  return calls.getStore()?.signal;
}
