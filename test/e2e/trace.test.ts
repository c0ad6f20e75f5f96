import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { type ExportedSpan, startOtlpReceiver } from '../harness/otlp.js';
import { reading } from '../harness/points.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

const server = 2;
const client = 3;
const producer = 4;
const consumer = 5;

test('one trace runs from a lone request through gRPC and JetStream to the SQL of the processor', async () => {
  await using receiver = await startOtlpReceiver();
  await using stack = await openTestStack({ env: receiver.env });
  const api = apiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
  await api.ingest([reading('traced', 0, 1)]);
  await stack.drained();

  const isRequest = (span: ExportedSpan): boolean => span.kind === server && span.name === 'POST /v1/ingest';
  const traceOf = (spans: readonly ExportedSpan[]): ExportedSpan[] => {
    const traceId = spans.find(isRequest)?.traceId;
    return spans.filter((span) => span.traceId === traceId);
  };
  const has = (spans: readonly ExportedSpan[], kind: number, name: RegExp, service: RegExp): boolean =>
    spans.some((span) => span.kind === kind && name.test(span.name) && service.test(span.service));
  const steps: [number, RegExp, RegExp][] = [
    [server, /^POST \/v1\/ingest$/, /gateway/],
    [client, /IngestionService\/Admit$/, /gateway/],
    [server, /IngestionService\/Admit$/, /ingestion/],
    [client, /^(with|insert)/, /ingestion/],
    [producer, /^publish runs/, /ingestion/],
    [consumer, /^process runs/, /processor|observations/],
    [client, /VariablesService\/Resolve$/, /processor|observations/],
    [server, /VariablesService\/Resolve$/, /variables/],
    [client, /^(copy|insert|with)/i, /processor|observations/],
    [client, /IngestionService\/CompleteRuns$/, /processor|observations/],
    [server, /IngestionService\/CompleteRuns$/, /ingestion/],
  ];
  const complete = (spans: readonly ExportedSpan[]): boolean =>
    steps.every(([kind, name, service]) => has(traceOf(spans), kind, name, service));
  const trace = traceOf(await receiver.until(complete));

  const ids = new Set(trace.map((span) => span.spanId));
  const isOrphan = (span: ExportedSpan): boolean => span.parentSpanId !== '' && !ids.has(span.parentSpanId);
  // what is still open when the chain is complete is exported a little later: only closed parents are judged
  await receiver.until((spans) => {
    for (const span of traceOf(spans)) ids.add(span.spanId);
    return !trace.some(isOrphan);
  });
  expect(trace.filter(isOrphan)).toEqual([]);
});
