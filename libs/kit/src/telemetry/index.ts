export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export { flushTelemetry } from './flush.js';
export {
  activeTraceparent,
  contextFromTraceparent,
  inSpan,
  linkFromTraceparent,
  type SpanOptions,
  streamInSpan,
} from './span.js';
