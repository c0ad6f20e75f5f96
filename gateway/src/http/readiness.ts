import { type Started, startLoop } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { createInstruments, processMetrics } from '@weir/kit/metrics';

const intervalMs = 1000;
/** So many failures in a row make it not ready; one success makes it ready. */
const failuresMax = 3;

/** Whether what is needed answers, asked once a second. */
export interface Readiness extends Started {
  isReady(): boolean;
}

/** Begins to ask; not ready before the first success. */
export async function startReadiness(check: () => Promise<boolean>, log: Logger): Promise<Readiness> {
  const { ready } = createInstruments(processMetrics);
  let failures = failuresMax;
  const ask = async (): Promise<void> => {
    const wasReady = failures < failuresMax;
    failures = (await check()) ? 0 : Math.min(failures + 1, failuresMax);
    const isReady = failures < failuresMax;
    ready.set(isReady ? 1 : 0);
    if (isReady !== wasReady) log.info({ ready: isReady }, 'readiness');
  };
  await ask();
  const loop = startLoop({ intervalMs, work: ask, onError: (error) => log.error({ err: error }, 'unexpected error') });
  return { isReady: () => failures < failuresMax, [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose]() };
}
