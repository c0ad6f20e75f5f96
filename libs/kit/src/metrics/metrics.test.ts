import { expect, test } from 'vitest';
import { startMetricsEndpoint } from './endpoint.js';
import { createInstruments, observeGauges } from './index.js';
import { prometheusText } from './prometheus.js';

const declared = {
  calls: {
    name: 'test.calls',
    kind: 'counter',
    unit: '{call}',
    doc: 'Calls.',
    attributes: { 'test.result': ['good', 'bad'] },
  },
  took: { name: 'test.duration', kind: 'histogram', unit: 's', doc: 'How long.', buckets: [0.1, 1] },
  routes: {
    name: 'test.routes',
    kind: 'counter',
    unit: '{call}',
    doc: 'Many.',
    attributes: { 'test.route': 'Templates.', 'error.type': 'Codes.' },
  },
  depth: { name: 'test.depth', kind: 'gauge', unit: '{item}', doc: 'How deep.' },
  share: { name: 'test.share', kind: 'gauge', unit: '1', doc: 'How much of it.' },
} as const;
const { calls, took, routes, depth, share } = createInstruments(declared);

async function linesOf(name: string): Promise<string[]> {
  return (await prometheusText()).split('\n').filter((line) => line.startsWith(name));
}

test('a counter whose attributes are known is there as zero, and rises', async () => {
  calls.add(2, { 'test.result': 'good' });
  expect(await linesOf('test_calls')).toEqual([
    'test_calls_total{test_result="good"} 2',
    'test_calls_total{test_result="bad"} 0',
  ]);
});

test('a histogram has its bounds included, and its unit in the name', async () => {
  for (const seconds of [0.1, 0.5, 7]) took.record(seconds);
  expect(await linesOf('test_duration')).toEqual([
    'test_duration_seconds_count 3',
    'test_duration_seconds_sum 7.6',
    'test_duration_seconds_bucket{le="0.1"} 1',
    'test_duration_seconds_bucket{le="1"} 2',
    'test_duration_seconds_bucket{le="+Inf"} 3',
  ]);
});

test('O5: series stay bounded, whatever comes', async () => {
  for (let i = 0; i < 3000; i++) routes.add(1, { 'test.route': `/${i}`, 'error.type': undefined });
  const lines = await linesOf('test_routes');
  expect(lines).toHaveLength(2001);
  expect(lines).toContain('test_routes_total{test_route="/7"} 1');
  expect(lines).toContain('test_routes_total{otel_metric_overflow="true"} 1000');
});

test('a gauge is looked up when somebody asks, and absent when it cannot be', async () => {
  let asked = 0;
  let isAway = false;
  using _ = observeGauges([depth, share], async () => {
    asked++;
    if (isAway) throw new Error('away');
    depth.set(5);
    share.set(0.5);
  });
  expect(await linesOf('test_depth')).toEqual(['test_depth 5']);
  expect(await linesOf('test_share')).toEqual(['test_share_ratio 0.5']);
  expect(asked).toBe(2);
  isAway = true;
  expect(await linesOf('test_depth')).toEqual([]);
});

test('the endpoint answers the text at /metrics alone', async () => {
  await using endpoint = await startMetricsEndpoint('127.0.0.1:0');
  const answer = await fetch(endpoint.url);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await answer.text()).toContain('# HELP test_calls_total Calls.\n# TYPE test_calls_total counter\n');
  expect((await fetch(new URL('/', endpoint.url))).status).toBe(404);
});
