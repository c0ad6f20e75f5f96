import { trace } from '@opentelemetry/api';
import { type Logger as PinoLogger, pino } from 'pino';

/** Structured log: one JSON line an event, with the trace of the work that caused it. */
export type Logger = PinoLogger;

/**
 * Makes the log of a process.
 *
 * @param service - the name that every line carries
 * @param level - trace, debug, info, warn, error or silent
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    redact: ['authorization', '*.authorization', 'secret', '*.secret', 'plaintext', '*.plaintext'],
    mixin() {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
  });
}
