import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a process exported it. */
export interface ExportedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer */
  readonly kind: number;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
  }[];
  /** Code 2 is an error. */
  readonly status?: { readonly code?: number };
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly Omit<ExportedSpan, 'service'>[] }[];
  }[];
}

/** An OTLP/HTTP receiver in this process. */
export interface OtlpReceiver extends AsyncDisposable {
  /** What the processes need in their environment to send here at once. */
  readonly env: Readonly<Record<string, string>>;
  /** Waits until the spans received so far satisfy a predicate, and answers them. */
  until(isEnough: (spans: readonly ExportedSpan[]) => boolean): Promise<readonly ExportedSpan[]>;
}

function spansOf(request: ExportRequest): ExportedSpan[] {
  return (request.resourceSpans ?? []).flatMap((resourceSpans) => {
    const name = resourceSpans.resource?.attributes?.find(({ key }) => key === 'service.name');
    const service = name?.value.stringValue ?? '';
    return (resourceSpans.scopeSpans ?? []).flatMap((scope) =>
      (scope.spans ?? []).map((span) => ({ ...span, parentSpanId: span.parentSpanId ?? '', service })),
    );
  });
}

/** Starts a receiver of traces as OTLP JSON over HTTP. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ExportedSpan[] = [];
  let onSpans: () => void = () => undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExportRequest));
      response.setHeader('content-type', 'application/json').end('{}');
      onSpans();
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
    until: (isEnough) =>
      new Promise((resolve) => {
        onSpans = () => {
          if (isEnough(spans)) resolve(spans);
        };
        onSpans();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
