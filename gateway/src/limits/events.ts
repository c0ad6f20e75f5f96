import { metrics } from '@opentelemetry/api';
import type { Logger } from '@weir/kit/log';

/** Which limit refused. */
export type RefusedBy = 'rate' | 'concurrency' | 'failed_credentials';

/** What is worth counting in the limits: the counter, the log line and the name in one place. */
export interface LimitEvents {
  /** Redis does not answer: from now on this gateway limits by its share. */
  degraded(error: unknown): void;
  /** Redis is back: rates are shared again. */
  shared(awayMs: number): void;
  /** A rate was decided without Redis. */
  decidedAlone(): void;
  refused(by: RefusedBy): void;
}

/** Counts events and logs those that say something new. */
export function createLimitEvents(log: Logger): LimitEvents {
  const meter = metrics.getMeter('weir.gateway');
  const degraded = meter.createUpDownCounter('weir.gateway.limits.degraded', {
    description: '1 while rates are not shared with the other gateways, because Redis does not answer.',
  });
  const alone = meter.createCounter('weir.gateway.limits.decided_alone', {
    description: 'Rates that were decided by the share of this gateway.',
  });
  const refused = meter.createCounter('weir.gateway.limits.refused', {
    description: 'Requests that a limit refused.',
  });
  return {
    degraded(error) {
      degraded.add(1);
      log.warn({ err: error }, 'redis is away: this gateway limits by its share');
    },
    shared(awayMs) {
      degraded.add(-1);
      log.info({ away_ms: Math.round(awayMs) }, 'redis is back: rates are shared again');
    },
    decidedAlone: () => alone.add(1),
    refused: (by) => refused.add(1, { by }),
  };
}
