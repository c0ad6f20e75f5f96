import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A value as OTLP JSON writes it. */
interface AttributeValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

/** A span as a process exported it. */
export interface ExportedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes?: readonly { readonly key: string; readonly value: AttributeValue }[];
  /** Code 2 is an error. */
  readonly status?: { readonly code?: number };
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly { key: string; value: AttributeValue }[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly Omit<ExportedSpan, 'service'>[] }[];
  }[];
}

/** An OTLP/HTTP receiver in this process. */
export interface OtlpReceiver extends AsyncDisposable {
  /** What processes need in their environment to send every span here, soon. */
  readonly env: Readonly<Record<string, string>>;
}

function spansOf(request: ExportRequest): ExportedSpan[] {
  return (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = resource?.attributes?.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => ({ ...span, parentSpanId: span.parentSpanId ?? '', service })),
    );
  });
}

/** Starts a receiver of traces as OTLP JSON over HTTP. It takes metrics as well, and keeps none. */
export async function startOtlpReceiver(onSpans: (spans: readonly ExportedSpan[]) => void): Promise<OtlpReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json').end('{}');
      onSpans(spansOf(JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExportRequest));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
