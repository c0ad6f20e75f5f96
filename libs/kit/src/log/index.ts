import { trace } from '@opentelemetry/api';
import { type Logger as PinoLogger, pino } from 'pino';
import { linesOfProcess } from './lines.js';
import { currentRequestId } from './request.js';

export { currentRequestId, inRequest, joinRequestIds, stepsInRequest } from './request.js';

/** Structured log: one JSON line an event, with the request and the trace of the work that caused it. */
export type Logger = PinoLogger;

const errorLevel = pino.levels.values['error'] ?? 50;

/**
 * Makes the log of a process. Lines are written together, a moment later; from `error` on, and at the end of the process, at once.
 *
 * @param service - the name that every line carries
 * @param level - trace, debug, info, warn, error or silent
 */
export function createLogger(service: string, level: string): Logger {
  const lines = linesOfProcess();
  return pino(
    {
      level,
      base: { service },
      redact: ['authorization', '*.authorization', 'secret', '*.secret', 'plaintext', '*.plaintext'],
      mixin() {
        const requestId = currentRequestId();
        const span = trace.getActiveSpan()?.spanContext();
        return {
          ...(requestId !== '' && { request_id: requestId }),
          ...(span !== undefined && { trace_id: span.traceId, span_id: span.spanId }),
        };
      },
      hooks: {
        logMethod(args, method, lineLevel) {
          method.apply(this, args);
          if (lineLevel >= errorLevel) lines.hurry();
        },
      },
    },
    lines,
  );
}

/**
 * The same log, for lines of which every member is known where they are written and none can hold a secret: to look
 * for secrets costs several times what writing such a line does.
 */
export function unredacted(log: Logger): Logger {
  return log.child({}, { redact: [] });
}
