import { trace } from '@opentelemetry/api';
import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId } from './request.js';

export { currentRequestId, inRequest, joinRequestIds, stepsInRequest } from './request.js';

/** Structured log: one JSON line an event, with the request and the trace of the work that caused it. */
export type Logger = PinoLogger;

const errorLevel = pino.levels.values['error'] ?? 50;
/** Lines wait for so long, or until there are so many bytes of them, to be written together. */
const together = { periodicFlush: 100, minLength: 8192 } as const;

/**
 * Where lines go. They wait as bytes: lines that wait as texts are one text, which pino's destination measures, and so puts together
 * anew, with every line.
 */
function openDestination() {
  const destination = pino.destination({ sync: false, contentMode: 'buffer', ...together });
  return {
    write(line: string): void {
      // the destination takes bytes, whatever its type says
      destination.write(Buffer.from(line) as unknown as string);
    },
    flush: () => destination.flush(),
    flushSync: () => destination.flushSync(),
  };
}

/**
 * Makes the log of a process. Lines are written together, a moment later; from `error` on, and at the end of the process, at once.
 *
 * @param service - the name that every line carries
 * @param level - trace, debug, info, warn, error or silent
 */
export function createLogger(service: string, level: string): Logger {
  const lines = openDestination();
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
          if (lineLevel >= errorLevel) lines.flush();
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
