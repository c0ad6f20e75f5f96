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

/** How many loops of a name have failed in their last round: a process may have several of them. */
const failing = new Map<LoopName, number>();

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
  let isFailing = false;
  const tell = (failed: boolean): void => {
    if (name === undefined) return;
    const count = (failing.get(name) ?? 0) + Number(failed) - Number(isFailing);
    isFailing = failed;
    failing.set(name, count);
    loopFailing.set(count > 0 ? 1 : 0, { 'weir.loop': name });
  };
  tell(false);
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
        tell(false);
      } catch (error) {
        if (!abort.signal.aborted) {
          tell(true);
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
      tell(false);
    },
  };
}
