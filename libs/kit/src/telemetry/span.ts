import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('weir');

/** What a span is begun with. */
export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: readonly Link[];
  /** The context it belongs to; the active one unless given. */
  readonly parent?: Context;
}

/** Runs `work` inside a span: ends it, and marks it failed when `work` throws. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = options.parent ?? context.active();
  const span = tracer.startSpan(
    name,
    {
      kind: options.kind ?? SpanKind.INTERNAL,
      attributes: options.attributes ?? {},
      links: [...(options.links ?? [])],
    },
    parent,
  );
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** The W3C traceparent of the active span; empty when there is none. */
export function activeTraceparent(): string {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? '';
}

/** The context that a traceparent names, on top of nothing. */
export function contextFromTraceparent(traceparent: string): Context {
  return propagation.extract(trace.deleteSpan(context.active()), { traceparent });
}

/** A link to the span that a traceparent names, or undefined when it names none. */
export function linkFromTraceparent(traceparent: string): Link | undefined {
  const spanContext = trace.getSpanContext(contextFromTraceparent(traceparent));
  return spanContext === undefined ? undefined : { context: spanContext };
}
