import { DiagLogLevel, diag } from '@opentelemetry/api';
import { createLogger } from '../log/index.js';

/** One line in so long: a collector that is away is no reason to fill the log. */
const everyMs = 60_000;

/** Puts what the SDK has to complain about into the log, a line a minute at most. */
export function logTrouble(service: string, nowMs: () => number = () => performance.now()): void {
  const log = createLogger(service, 'warn');
  let loggedMs = Number.NEGATIVE_INFINITY;
  let left = 0;
  const complain = (message: string): void => {
    if (nowMs() - loggedMs < everyMs) {
      left++;
      return;
    }
    log.warn({ reason: message.slice(0, 500), left_out: left }, 'telemetry is not delivered');
    loggedMs = nowMs();
    left = 0;
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
