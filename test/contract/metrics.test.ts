import type { Metric } from '@weir/kit/metrics';
import { prometheusName } from '@weir/kit/metrics/prometheus';
import { expect, test } from 'vitest';
import { declaredMetrics } from '../harness/declared-metrics.js';

const all = Object.values(declaredMetrics).flatMap((metrics) => Object.values(metrics));

function rowOf(metric: Metric): string {
  const attributes = Object.entries(metric.attributes ?? {}).map(
    ([name, values]) => `\`${name}\`: ${typeof values === 'string' ? values : values.join(', ')}`,
  );
  const cells = [
    `\`${metric.name}\``,
    `\`${prometheusName(metric)}\``,
    metric.kind,
    metric.unit,
    attributes.join('<br>'),
  ];
  return `| ${cells.join(' | ')} | ${metric.doc} |\n`;
}

test('docs/operators/metrics.md tells every metric that is declared', async () => {
  const tables = Object.entries(declaredMetrics).map(
    ([who, metrics]) =>
      `## ${who}\n\n| metric | at Prometheus | kind | unit | attributes | what it says |\n| --- | --- | --- | --- | --- | --- |\n` +
      Object.values(metrics).map(rowOf).join(''),
  );
  const text = `# Metrics

Made of the declarations in each process's \`metrics.ts\` by \`./dev test contract -- -u\`; never edited. Of a histogram Prometheus
has the series \`…_bucket\`, \`…_sum\` and \`…_count\`. [Monitor](monitor.md) tells which of them to look at first.

${tables.join('\n')}`;
  await expect(text).toMatchFileSnapshot('../../docs/operators/metrics.md');
});

test('a metric is declared once, and told apart by nothing that grows with what is stored', () => {
  const names = all.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  for (const { name, attributes, buckets, kind } of all) {
    expect(name).toMatch(/^[a-z0-9]+(\.[a-z0-9_]+)+$/);
    expect(buckets !== undefined).toBe(kind === 'histogram');
    for (const attribute of Object.keys(attributes ?? {}))
      expect(attribute, name).not.toMatch(/project|instrument|variable|connection_id|key_id|request_id|path|user/);
  }
});
