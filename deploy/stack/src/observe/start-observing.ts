import { freePorts } from '../processes/free-port.js';
import { servingProcesses } from '../stack/process-specs.js';
import { drawTrace } from './draw-trace.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import { TraceCollector } from './trace-collector.js';

/** What watches a stack. */
export interface Observing extends AsyncDisposable {
  /** What all processes of the stack need in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What each needs. */
  readonly envOf: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Where the metrics of each are, for a person. */
  readonly summary: string;
}

/** Starts a receiver of traces that writes each request's whole path, through all processes, as it ends. */
export async function startObserving(write: (text: string) => void): Promise<Observing> {
  const collector = new TraceCollector((spans) => write(drawTrace(spans)));
  const receiver = await startOtlpReceiver((spans) => collector.take(spans));
  const names = [...servingProcesses, 'processor'];
  const ports = await freePorts(names.length);
  const addresses = names.map((name, i) => [name, `127.0.0.1:${ports[i]}`] as const);
  return {
    env: { ...receiver.env, OTEL_METRICS_EXPORTER: 'none' },
    envOf: Object.fromEntries(addresses.map(([name, address]) => [name, { METRICS_ADDRESS: address }])),
    summary: `
Metrics, as Prometheus reads them:

${addresses.map(([name, address]) => `  ${name.padEnd(13)} http://${address}/metrics\n`).join('')}
Each request appears here with its whole path, two seconds after it has ended.
`,
    async [Symbol.asyncDispose]() {
      collector[Symbol.dispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
