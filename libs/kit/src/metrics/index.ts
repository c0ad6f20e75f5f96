export { databaseMetrics, type LoopName, processMetrics, rpcMetrics } from './declarations.js';
export { callSeconds, type InstrumentOf, type Metric, type Metrics } from './metric.js';
export { collectInstruments, createInstruments, observeGauges } from './registry.js';
