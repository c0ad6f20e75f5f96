/**
 * Telemetry preload: `node --import @weir/kit/telemetry/preload main.js`. The only reader of
 * OTEL_* variables. Without an OTLP endpoint (or with OTEL_SDK_DISABLED=true) nothing is loaded
 * and every span in the code costs nothing.
 */
import { registerFlush } from './flush.js';

const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

if (endpoint !== undefined && endpoint !== '' && process.env['OTEL_SDK_DISABLED'] !== 'true') {
  // the kit writes its spans by hand at four seams (HTTP, gRPC, JetStream, SQL): no module is patched
  process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
  process.env['OTEL_LOGS_EXPORTER'] ??= 'none';
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ instrumentations: [] });
  sdk.start();
  registerFlush(() => sdk.shutdown());
}
