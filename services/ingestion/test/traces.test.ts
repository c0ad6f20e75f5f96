import { SpanKind } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { inSpan } from '@weir/kit/telemetry';
import { afterAll, expect, test } from 'vitest';
import { eventually, newScope, submission, testIngestion } from './test-ingestion.js';

const spans = new InMemorySpanExporter();
const sdk = new NodeSDK({
  autoDetectResources: false,
  instrumentations: [],
  metricReaders: [],
  logRecordProcessors: [],
  spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
});
sdk.start();
afterAll(() => sdk.shutdown());

const traceparentOf = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`;

test('a lone submission is one trace, from the call through SQL to the message', async () => {
  await using it = await testIngestion();
  const traceparent = await inSpan('request', {}, async (span) => {
    const { traceId, spanId } = span.spanContext();
    await it.admit(submission(newScope(), 2, { traceparent: traceparentOf(traceId, spanId) }));
    return traceparentOf(traceId, spanId);
  });
  const [queued] = await it.stream.next('live');
  const [, traceId, requestSpanId] = traceparent.split('-');
  // a span ends when the stream has answered, which may be after the message has come
  const own = await eventually(async () => {
    const ended = spans.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    expect(ended.map((span) => span.name)).toContain('publish runs');
    return ended;
  });
  const publish = own.find((span) => span.name === 'publish runs');
  expect(publish?.kind).toBe(SpanKind.PRODUCER);
  expect(publish?.parentSpanContext?.spanId).toBe(requestSpanId);
  expect(queued?.traceparent).toBe(traceparentOf(traceId ?? '', publish?.spanContext().spanId ?? ''));
  const server = own.find((span) => span.kind === SpanKind.SERVER);
  const statement = own.find((span) => String(span.attributes['db.query.text']).includes('ingestion.batches'));
  expect(statement?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
});

test('batches of one message keep a trace each, of which a few get a span', async () => {
  await using it = await testIngestion();
  spans.reset();
  const scope = newScope();
  const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');
  const submissions = Array.from({ length: 20 }, (_, i) =>
    submission(scope, 1, { traceparent: traceparentOf(hex(i + 1, 32), hex(i + 1, 16)) }),
  );
  await it.client.admit({ submissions });
  const queued = await it.stream.next('live');
  expect(queued.map(({ traceparent }) => traceparent.split('-')[1])).toEqual(
    submissions.map(({ traceparent }) => traceparent.split('-')[1]),
  );
  const published = await eventually(async () => {
    const ended = spans.getFinishedSpans().filter((span) => span.name === 'publish runs');
    expect(ended).toHaveLength(16);
    return ended;
  });
  expect(new Set(queued.slice(0, 16).map(({ traceparent }) => traceparent.split('-')[2]))).toEqual(
    new Set(published.map((span) => span.spanContext().spanId)),
  );
  expect(queued.slice(16).map(({ traceparent }) => traceparent)).toEqual(
    submissions.slice(16).map(({ traceparent }) => traceparent),
  );
});
