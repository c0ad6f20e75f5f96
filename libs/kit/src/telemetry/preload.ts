/**
 * Telemetry preload: `node --import @weir/kit/telemetry/preload main.js`. The only reader of
 * OTEL_* variables. Without an OTLP endpoint (or with OTEL_SDK_DISABLED=true) nothing is loaded
 * and every span in the code costs nothing.
 */
import { registerFlush } from './flush.js';
import { followParents } from './span.js';

const { env } = process;

function isSet(...names: readonly string[]): boolean {
  return names.some((name) => (env[name] ?? '') !== '');
}

function positive(name: string, otherwise: number): number {
  const value = Number(env[name] ?? otherwise);
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const hasTraces = isSet(endpoint, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') && env['OTEL_TRACES_EXPORTER'] !== 'none';
const hasMetrics = isSet(endpoint, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT') && env['OTEL_METRICS_EXPORTER'] !== 'none';

if ((hasTraces || hasMetrics) && env['OTEL_SDK_DISABLED'] !== 'true') {
  // the kit writes its spans by hand at four seams (HTTP, gRPC, JetStream, SQL): no module is patched
  env['OTEL_LOGS_EXPORTER'] ??= 'none';
  // messages and rows carry a traceparent, so that calls must too; nothing else of a caller is read
  env['OTEL_PROPAGATORS'] = 'tracecontext';
  if (env['OTEL_TRACES_SAMPLER'] === undefined) {
    env['OTEL_TRACES_SAMPLER'] = 'parentbased_traceidratio';
    env['OTEL_TRACES_SAMPLER_ARG'] ??= '0.1';
  }
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace');
  const { PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics');
  const { metricProducer } = await import('../metrics/metric-data.js');
  const { otlpExporters } = await import('./otlp-exporters.js');
  const { logTrouble } = await import('./log-trouble.js');
  const { spanCounts } = await import('./span-counts.js');

  const exportersFor = (signal: 'TRACES' | 'METRICS') => {
    const protocol = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
    const exporters = otlpExporters[protocol ?? 'http/protobuf'];
    if (exporters === undefined)
      throw new Error(
        `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, but must be one of ${Object.keys(otlpExporters).join(', ')}`,
      );
    return exporters;
  };
  const metricIntervalMs = positive('OTEL_METRIC_EXPORT_INTERVAL', 60_000);
  const sdk = new NodeSDK({
    instrumentations: [],
    spanProcessors: hasTraces
      ? [
          new BatchSpanProcessor({
            exporter: await exportersFor('TRACES').spans(),
            scheduledDelayMillis: positive('OTEL_BSP_SCHEDULE_DELAY', 5000),
            exportTimeoutMillis: positive('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
            maxQueueSize: positive('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
            maxExportBatchSize: positive('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
            selfObsMeterProvider: spanCounts(),
          }),
        ]
      : [],
    metricReaders: hasMetrics
      ? [
          new PeriodicExportingMetricReader({
            exporter: await exportersFor('METRICS').metrics(),
            exportIntervalMillis: metricIntervalMs,
            exportTimeoutMillis: Math.min(positive('OTEL_METRIC_EXPORT_TIMEOUT', 30_000), metricIntervalMs),
            metricProducers: [metricProducer],
          }),
        ]
      : [],
  });
  sdk.start();
  if (env['OTEL_TRACES_SAMPLER'].startsWith('parentbased_')) followParents();
  logTrouble(env['OTEL_SERVICE_NAME'] ?? 'weir');
  registerFlush(() => sdk.shutdown());
}
