import { createNoopMeter, type Meter, type MeterProvider } from '@opentelemetry/api';
import { createInstruments, processMetrics } from '../metrics/index.js';

/**
 * Counts what the span processor says of itself among our metrics: spans that were sent, and those that were dropped
 * because the collector is away. Its other metrics are not kept.
 */
export function spanCounts(): MeterProvider {
  const { spans } = createInstruments(processMetrics);
  const createCounter: Meter['createCounter'] = () => ({
    add(amount, attributes) {
      const error = attributes?.['error.type'];
      spans.add(amount, { 'error.type': typeof error === 'string' ? error : undefined });
    },
  });
  return { getMeter: () => Object.assign(createNoopMeter(), { createCounter }) };
}
