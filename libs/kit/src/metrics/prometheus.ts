import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MetricData } from '@opentelemetry/sdk-metrics';
import { metricProducer } from './metric-data.js';

/** What the name of a metric ends with at Prometheus, by its unit: as its own translation of OTLP has it. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/** The name that a metric has at Prometheus. */
export function prometheusName({ name, unit, kind }: { name: string; unit: string; kind: string }): string {
  const suffix = suffixes[unit] ?? (unit === '1' && kind === 'gauge' ? '_ratio' : '');
  return `${name.replaceAll('.', '_')}${suffix}${kind === 'counter' ? '_total' : ''}`;
}

function withUnitInName(metric: MetricData): MetricData {
  const { descriptor } = metric;
  const kind = metric.dataPointType === 2 ? 'gauge' : 'other';
  const name = prometheusName({ name: descriptor.name, unit: descriptor.unit, kind });
  return { ...metric, descriptor: { ...descriptor, name, unit: '' } };
}

const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

/** What was counted, as Prometheus reads it. */
export async function prometheusText(): Promise<string> {
  const { resourceMetrics } = await metricProducer.collect();
  const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.map(withUnitInName),
  }));
  return serializer.serialize({ ...resourceMetrics, scopeMetrics });
}
