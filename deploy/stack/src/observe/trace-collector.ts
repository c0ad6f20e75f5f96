import type { ExportedSpan } from './otlp-receiver.js';

/** A trace is whole when nothing of it has come for so long. */
const settleMs = 1500;
/** Traces that are waited for; beyond, the oldest are forgotten. */
const tracesMax = 1000;

const server = 2;

interface Gathering {
  readonly spans: ExportedSpan[];
  timer: NodeJS.Timeout | undefined;
}

/** Gathers the spans of traces that begin with a request, and gives each trace away when it is whole. */
export class TraceCollector implements Disposable {
  readonly #traces = new Map<string, Gathering>();
  readonly #onTrace: (spans: readonly ExportedSpan[]) => void;

  constructor(onTrace: (spans: readonly ExportedSpan[]) => void) {
    this.#onTrace = onTrace;
  }

  take(spans: readonly ExportedSpan[]): void {
    for (const span of spans) this.#gather(span);
  }

  #gather(span: ExportedSpan): void {
    const trace = this.#traces.get(span.traceId) ?? { spans: [], timer: undefined };
    this.#traces.set(span.traceId, trace);
    trace.spans.push(span);
    // what a process does by itself, in the background, begins with no request
    const isRequest = trace.spans.some(({ parentSpanId, kind }) => parentSpanId === '' && kind === server);
    if (isRequest) {
      clearTimeout(trace.timer);
      trace.timer = setTimeout(() => this.#give(span.traceId, trace), settleMs);
    }
    for (const [id, { timer }] of this.#traces) {
      if (this.#traces.size <= tracesMax) break;
      clearTimeout(timer);
      this.#traces.delete(id);
    }
  }

  #give(traceId: string, { spans }: Gathering): void {
    this.#traces.delete(traceId);
    this.#onTrace(spans);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#traces.values()) clearTimeout(timer);
    this.#traces.clear();
  }
}
