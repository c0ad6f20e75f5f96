import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Instrument, Series } from './instrument.js';
import { collectInstruments } from './registry.js';

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
const startTime = toHrTime(performance.timeOrigin);

function toHistogram({ counts, value }: Series, boundaries: readonly number[]) {
  const count = counts.reduce((sum, bucket) => sum + bucket, 0);
  return { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum: value, count };
}

function toMetricData({ metric, series }: Instrument, endTime: HrTime): MetricData {
  const { name, doc, unit, kind, buckets = [] } = metric;
  const shared = {
    descriptor: { name, description: doc, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = <T>(toValue: (one: Series) => T) =>
    [...series.values()].map((one) => ({
      attributes: { ...one.attributes },
      startTime,
      endTime,
      value: toValue(one),
    }));
  if (kind === 'histogram') {
    const dataPoints = points((one) => toHistogram(one, buckets));
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = points((one) => one.value);
  return kind === 'counter'
    ? { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** What was counted, in the form that OpenTelemetry's exporters take. */
export const metricProducer: MetricProducer = {
  async collect() {
    const collected = await collectInstruments();
    const endTime = toHrTime(Date.now());
    const metrics = collected.map((instrument) => toMetricData(instrument, endTime));
    return {
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: 'weir' }, metrics }] },
      errors: [],
    };
  },
};
