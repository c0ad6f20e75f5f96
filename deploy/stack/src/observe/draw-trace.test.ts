import { expect, test } from 'vitest';
import { drawTrace } from './draw-trace.js';
import type { ExportedSpan } from './otlp-receiver.js';
import { TraceCollector } from './trace-collector.js';

const base = 1_790_000_000_000_000_000n;

function span(
  [service, spanId, parentSpanId]: readonly [string, string, string],
  name: string,
  [fromMs, toMs]: readonly [number, number],
  more: Partial<ExportedSpan> = {},
): ExportedSpan {
  const at = (ms: number): string => String(base + BigInt(ms) * 1_000_000n);
  const times = { startTimeUnixNano: at(fromMs), endTimeUnixNano: at(toMs) };
  return { service: `weir-${service}`, traceId: 'abc', spanId, parentSpanId, name, kind: 3, ...times, ...more };
}

const request = span(['gateway', 'a', ''], 'POST /v1/ingest', [0, 20], {
  kind: 2,
  attributes: [
    { key: 'http.response.status_code', value: { intValue: 200 } },
    { key: 'weir.request_id', value: { stringValue: 'r-1' } },
  ],
});
const spans = [
  span(['processor', 'd', 'c'], 'process runs', [30, 40], { kind: 5, status: { code: 2 } }),
  span(['ingestion', 'c', 'b'], 'with', [10, 15], {
    attributes: [{ key: 'db.query.text', value: { stringValue: 'with given as (\n  select 1\n)' } }],
  }),
  request,
  span(['gateway', 'b', 'a'], 'weir.ingestion.v1.IngestionService/Admit', [5, 18]),
];

test('a trace is drawn as a tree, in the order of time, whatever order its spans came in', () => {
  const lines = drawTrace(spans).trimEnd().split('\n');
  expect(lines[1]).toBe('POST /v1/ingest → 200, 40.0 ms in all, request r-1, trace abc');
  expect(lines.slice(2).map((line) => line.slice(0, 45).trimEnd())).toEqual(
    [
      '  gateway       POST /v1/ingest',
      '  gateway         IngestionService/Admit',
      '  ingestion         with given as ( select 1',
      '  processor           process runs',
    ].map((line) => line.slice(0, 45)),
  );
  expect(lines[2]).toMatch(/ 20\.0 ms {2}▬{15}$/);
  expect(lines[5]).toMatch(/▬ ✗$|▬+ *✗$/);
});

test('spans whose caller has not come are drawn all the same', () => {
  expect(drawTrace(spans.slice(0, 2)).trimEnd().split('\n')).toHaveLength(4);
});

test('only traces that begin with a request are given away, whole', async () => {
  const given = Promise.withResolvers<readonly ExportedSpan[]>();
  using collector = new TraceCollector(given.resolve);
  collector.take([{ ...span(['processor', 'x', ''], 'SELECT', [0, 1]), traceId: 'background' }]);
  collector.take(spans.slice(0, 2));
  collector.take(spans.slice(2));
  expect((await given.promise).map(({ spanId }) => spanId)).toEqual(['d', 'c', 'a', 'b']);
});
