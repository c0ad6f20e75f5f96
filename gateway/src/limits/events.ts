import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import { metrics } from '../metrics.js';

/** Which limit refused. */
export type RefusedBy = 'rate' | 'concurrency' | 'failed_credentials';

/** What is worth counting in the limits: the counter, the log line and the name in one place. */
export interface LimitEvents {
  /** Redis does not answer: from now on this gateway limits by its share. */
  degraded(error: unknown): void;
  /** Redis is back: limits are shared again. */
  shared(awayMs: number): void;
  /** A limit was decided without Redis. */
  decidedAlone(): void;
  refused(by: RefusedBy): void;
}

/** Counts events and logs those that say something new. */
export function createLimitEvents(log: Logger): LimitEvents {
  const { degraded, decidedAlone, refused } = createInstruments(metrics);
  degraded.set(0);
  return {
    degraded(error) {
      degraded.set(1);
      log.warn({ err: error }, 'redis is away: this gateway limits by its share');
    },
    shared(awayMs) {
      degraded.set(0);
      log.info({ away_ms: Math.round(awayMs) }, 'redis is back: limits are shared again');
    },
    decidedAlone: () => decidedAlone.add(1),
    refused: (by) => refused.add(1, { 'weir.limit': by }),
  };
}
