export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export { flushTelemetry } from './flush.js';
export { currentOrigin, inSpanOf, type Origin } from './origin.js';
export {
  activeTraceparent,
  contextFromTraceparent,
  inSpan,
  isKeptBelow,
  linkFromTraceparent,
  noteInSpan,
  type SpanOptions,
  streamInSpan,
} from './span.js';
