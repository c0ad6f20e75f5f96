import { unavailable } from '../errors/index.js';
import { type Started, startLoop } from '../lifecycle/index.js';
import type { Logger } from '../log/index.js';
import { createInstruments, processMetrics } from '../metrics/index.js';

const intervalMs = 1000;
/** So many failures in a row make it not ready; one success makes it ready. */
const failuresMax = 3;

/** So many failures pass at least between two lines of the log. */
const failuresBetween = 5;

/** Whether what is needed answers, asked once a second. */
export interface Readiness extends Started {
  isReady(): boolean;
  /** Why it is not, by what it asked last; undefined while it is. */
  whyNot(): unknown;
}

/**
 * Begins to ask, and has asked once when it returns. It is not ready before the first success, nor when it was
 * disposed of; why it is not stands in the log once, and again where the reason becomes another.
 */
export async function startReadiness(options: {
  /** Rejects while something that is needed does not answer. */
  readonly check: () => Promise<void>;
  readonly log: Logger;
  /** Is told of each change. */
  readonly onChange?: (isReady: boolean) => void;
}): Promise<Readiness> {
  const { check, log, onChange } = options;
  const { ready } = createInstruments(processMetrics);
  let isReady = false;
  ready.set(0);
  const become = (value: boolean): void => {
    if (value === isReady) return;
    isReady = value;
    ready.set(isReady ? 1 : 0);
    onChange?.(isReady);
    log.info({ ready: isReady }, 'readiness');
  };
  // who begins without what it needs says so at once
  let failures = failuresMax - 1;
  let failure: unknown;
  let told: string | undefined;
  let toldNotBefore = failuresMax;
  const tell = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === told || failures < toldNotBefore) return;
    told = reason;
    toldNotBefore = failures + failuresBetween;
    log.warn({ err: error }, 'not ready');
  };
  const ask = async (): Promise<void> => {
    try {
      await check();
      failures = 0;
      told = undefined;
      toldNotBefore = failuresMax;
      become(true);
    } catch (error) {
      failures++;
      failure = error;
      tell(error);
      if (failures >= failuresMax) become(false);
    }
  };
  await ask();
  const loop = startLoop({ name: undefined, intervalMs, work: ask, onError: () => undefined });
  return {
    isReady: () => isReady,
    whyNot: () => (isReady ? undefined : failure),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      failure = unavailable('It is stopping.');
      become(false);
    },
  };
}
