import {
  type Attributes,
  type Context,
  context,
  INVALID_TRACEID,
  type Link,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { WeirError } from '../errors/index.js';

const tracer = trace.getTracer('weir');
let doesFollowParents = false;

/** Says that no span of a trace is kept whose parent is not, by the sampler of this process; called by the preload. */
export function followParents(): void {
  doesFollowParents = true;
}

/** The span above, when what is below it is not kept: nine requests in ten, which then cost one span instead of all. */
function leftOut(parent: Context): Span | undefined {
  const above = doesFollowParents ? trace.getSpan(parent) : undefined;
  return above !== undefined && (above.spanContext().traceFlags & TraceFlags.SAMPLED) === 0 ? above : undefined;
}

/** What a span is begun with. */
export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: readonly Link[];
  /** The context it belongs to; the active one unless given. */
  readonly parent?: Context;
}

/** Runs `work` in a context; where it is the active one, as it is. */
function within<T>(inside: Context, work: (span: Span) => Promise<T>, span: Span): Promise<T> {
  return inside === context.active() ? work(span) : context.with(inside, work, undefined, span);
}

/** What an error is called in a span: its code, and no word of it that might tell what it was about. */
function typeOf(error: unknown): string {
  if (error instanceof WeirError) return error.code;
  return error instanceof Error ? error.name : 'error';
}

/** Runs `work` inside a span: ends it, and marks it failed when `work` throws. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = options.parent ?? context.active();
  const above = leftOut(parent);
  if (above !== undefined) return await within(parent, work, above);
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
    // one that nobody keeps, below none that somebody does, is not worth a context of its own
    const inside = span.spanContext().traceId === INVALID_TRACEID ? parent : trace.setSpan(parent, span);
    return await within(inside, work, span);
  } catch (error) {
    span.setAttribute('error.type', typeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Runs a stream inside a span, each step of it in the span's context; the span ends when the stream does. */
export async function* streamInSpan<T>(
  name: string,
  options: SpanOptions,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const ended = Promise.withResolvers<void>();
  let inside = context.active();
  const span = inSpan(name, options, () => {
    inside = context.active();
    return ended.promise;
  });
  // whoever takes the stream gets its failure; the span only notes it
  span.catch(() => undefined);
  const iterator = context.with(inside, () => open()[Symbol.asyncIterator]());
  try {
    for (;;) {
      const step = await context.with(inside, () => iterator.next());
      if (step.done === true) return;
      yield step.value;
    }
  } catch (error) {
    ended.reject(error);
    throw error;
  } finally {
    await iterator.return?.();
    ended.resolve();
  }
}

/** Adds to the active span, if there is one that is kept. */
export function noteInSpan(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** The W3C traceparent of the active span; empty when there is none. */
export function activeTraceparent(): string {
  const spanContext = trace.getActiveSpan()?.spanContext();
  if (spanContext === undefined || spanContext.traceId === INVALID_TRACEID) return '';
  const { traceId, spanId, traceFlags } = spanContext;
  // version 00 knows this flag alone
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
}

/** Whether a span is kept below the one that a traceparent names: not below one that is not kept itself, as a rule. */
export function isKeptBelow(traceparent: string): boolean {
  return !doesFollowParents || (Number.parseInt(traceparent.slice(-2), 16) & TraceFlags.SAMPLED) !== 0;
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
