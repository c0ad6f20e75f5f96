import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** What sends to a collector. Each reads its own OTEL_EXPORTER_OTLP_* for address, headers, certificates and time. */
interface OtlpExporters {
  readonly spans: () => Promise<SpanExporter>;
  readonly metrics: () => Promise<PushMetricExporter>;
}

/** By what OTEL_EXPORTER_OTLP_PROTOCOL says. Only the packages of the protocol that is used are loaded. */
export const otlpExporters: Readonly<Record<string, OtlpExporters>> = {
  'http/protobuf': {
    spans: async () => new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
    metrics: async () => new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter(),
  },
  'http/json': {
    spans: async () => new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(),
    metrics: async () => new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter(),
  },
  grpc: {
    spans: async () => new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter(),
    metrics: async () => new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter(),
  },
};
