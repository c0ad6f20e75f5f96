import { createInstruments, type LoopName, processMetrics } from '../metrics/index.js';

/** A started part: production, tests, the local stack and benchmarks dispose of it alike. */
export interface Started extends AsyncDisposable {}

/** A started gRPC service. */
export interface StartedService extends Started {
  /** host:port that it listens on */
  readonly address: string;
}

/** A service out of what was started for it, which ends with it; `starting` owns nothing any more. */
export function startedService(starting: AsyncDisposableStack, address: string): StartedService {
  const started = starting.move();
  return { address, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** A part that works in the background, and can be waited for. */
export interface BackgroundLoop extends Started {
  /** Makes the next round begin now. */
  wake(): void;
}

/**
 * Runs `work` again and again, `intervalMs` after each end, until disposed. Disposing aborts the
 * signal and waits for the round in progress. A round that throws is reported and the next one comes.
 */
export function startLoop(options: {
  /** By which metrics tell whether its last round failed; undefined where something else tells, or nobody asks. */
  readonly name: LoopName | undefined;
  readonly intervalMs: number;
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): BackgroundLoop {
  const { name } = options;
  const { loopFailing } = createInstruments(processMetrics);
  const tell = (failing: 0 | 1): void => {
    if (name !== undefined) loopFailing.set(failing, { 'weir.loop': name });
  };
  tell(0);
  const abort = new AbortController();
  let wakeUp: () => void = () => undefined;
  let woken = false;
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      if (woken || abort.signal.aborted) {
        woken = false;
        resolve();
        return;
      }
      const timer = setTimeout(() => wakeUp(), options.intervalMs);
      wakeUp = () => {
        clearTimeout(timer);
        woken = false;
        wakeUp = () => undefined;
        resolve();
      };
    });
  const wake = (): void => {
    woken = true;
    wakeUp();
  };
  // begun a microtask later, so that the first round can already use what this returns
  const rounds = Promise.resolve().then(async () => {
    while (!abort.signal.aborted) {
      try {
        await options.work(abort.signal);
        tell(0);
      } catch (error) {
        if (!abort.signal.aborted) {
          tell(1);
          options.onError(error);
        }
      }
      await pause();
    }
  });
  return {
    wake,
    async [Symbol.asyncDispose]() {
      abort.abort();
      wake();
      await rounds;
    },
  };
}
