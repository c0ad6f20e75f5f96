import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { currentRequestId } from '../src/log/index.js';
import { activeTraceparent, currentOrigin, inSpan, inSpanOf, SpanKind } from '../src/telemetry/index.js';
import { followParents } from '../src/telemetry/span.js';

const exporter = new InMemorySpanExporter();
const sdk = new NodeSDK({
  autoDetectResources: false,
  instrumentations: [],
  metricReaders: [],
  logRecordProcessors: [],
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(1) }),
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
});
sdk.start();
followParents();
afterAll(() => sdk.shutdown());
beforeEach(() => exporter.reset());

const traceOf = (digit: string): string => digit.repeat(32);
const origin = (digit: string, flags = '01') => ({
  traceparent: `00-${traceOf(digit)}-${digit.repeat(16)}-${flags}`,
  requestId: `request-${digit}`,
});
const spans = () => exporter.getFinishedSpans();

test('work for several has the trace of the first, links to the others and the ids of all', async () => {
  const told = await inSpanOf('work', [origin('1'), origin('2'), origin('1')], { kind: SpanKind.CONSUMER }, async () =>
    currentOrigin(),
  );
  const [span] = spans();
  expect(span?.spanContext().traceId).toBe(traceOf('1'));
  expect(span?.links.map(({ context }) => context.traceId)).toEqual([traceOf('2')]);
  expect(span?.attributes).toEqual({ 'weir.request_id': 'request-1,request-2' });
  expect(told.requestId).toBe('request-1,request-2');
  expect(told.traceparent).toContain(traceOf('1'));
});

test('of several the first that is kept has the work, with links to the others that are', async () => {
  const origins = [origin('3', '00'), origin('1'), origin('4', '00'), origin('2')];
  await inSpanOf('work', origins, { kind: SpanKind.CONSUMER }, async () => undefined);
  const [span] = spans();
  expect(span?.spanContext().traceId).toBe(traceOf('1'));
  expect(span?.links.map(({ context }) => context.traceId)).toEqual([traceOf('2')]);
});

test('work that stands apart begins a trace, with links alone', async () => {
  await inSpanOf('work', [origin('1')], { kind: SpanKind.CONSUMER, isApart: true }, async () => undefined);
  expect(spans()[0]?.spanContext().traceId).not.toBe(traceOf('1'));
  expect(spans()[0]?.links.map(({ context }) => context.traceId)).toEqual([traceOf('1')]);
});

test('work for nobody is a trace of its own', async () => {
  await inSpanOf('work', [{ traceparent: '', requestId: '' }], { kind: SpanKind.CONSUMER }, async () => {
    expect(currentRequestId()).toBe('');
  });
  expect(spans()).toHaveLength(1);
});

test('below a trace that is not kept no span is made, and the trace is passed on as it is', async () => {
  const dropped = origin('3', '00');
  const seen = await inSpanOf('work', [dropped], { kind: SpanKind.CONSUMER }, () =>
    inSpan('step', {}, async () => activeTraceparent()),
  );
  expect(seen).toBe(dropped.traceparent);
  expect(spans()).toEqual([]);
});

test('what fails is marked by the name of its error, and by nothing that it says', async () => {
  const failing = inSpan('work', {}, () => Promise.reject(new TypeError('a secret')));
  await expect(failing).rejects.toThrow('a secret');
  expect(spans()[0]?.attributes).toEqual({ 'error.type': 'TypeError' });
  expect(spans()[0]?.status).toEqual({ code: 2 });
});
