import type { ExportedSpan } from './otlp.js';

/** Kinds of spans as OTLP numbers them. */
export const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** What a trace must have: a span of a kind, by its name and by whose it is. */
export type Step = readonly [kind: keyof typeof kinds, name: RegExp, service: string];

/** What a span says, by name. */
export function attributesOf({ attributes = [] }: ExportedSpan): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? JSON.stringify(value)]),
  );
}

/** All spans of the trace of a request. */
export function traceOf(spans: readonly ExportedSpan[], requestId: string): readonly ExportedSpan[] {
  const first = spans.find(
    (span) =>
      span.kind === kinds.server && span.parentSpanId === '' && attributesOf(span)['weir.request_id'] === requestId,
  );
  return first === undefined ? [] : spans.filter(({ traceId }) => traceId === first.traceId);
}

/** The steps that a trace does not have. */
export function missingOf(trace: readonly ExportedSpan[], steps: readonly Step[]): readonly Step[] {
  return steps.filter(
    ([kind, name, service]) =>
      !trace.some((span) => span.kind === kinds[kind] && name.test(span.name) && span.service === `weir-${service}`),
  );
}

/** Spans of a trace whose caller is not in it. */
export function orphansOf(trace: readonly ExportedSpan[]): readonly ExportedSpan[] {
  const ids = new Set(trace.map(({ spanId }) => spanId));
  return trace.filter(({ parentSpanId }) => parentSpanId !== '' && !ids.has(parentSpanId));
}
