import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs what a call asks for, which may ask on the way whether anybody still waits for it. */
export function inCall<T>(signal: AbortSignal, work: () => T): T {
  return signals.run(signal, work);
}

/** Aborts when nobody waits for the call in progress any more; undefined outside of calls. */
export function currentCallSignal(): AbortSignal | undefined {
  return signals.getStore();
}
