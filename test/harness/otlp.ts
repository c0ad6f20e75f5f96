import { type ExportedSpan, type OtlpReceiver, startOtlpReceiver as startReceiver } from '@weir/stack';

export type { ExportedSpan } from '@weir/stack';

/** An OTLP/HTTP receiver in this process that keeps what comes. */
export interface KeepingReceiver extends OtlpReceiver {
  /** Waits until the spans received so far satisfy a predicate, and answers them. */
  until(isEnough: (spans: readonly ExportedSpan[]) => boolean): Promise<readonly ExportedSpan[]>;
}

/** Starts a receiver of traces as OTLP JSON over HTTP. */
export async function startOtlpReceiver(): Promise<KeepingReceiver> {
  const spans: ExportedSpan[] = [];
  let onSpans: () => void = () => undefined;
  const receiver = await startReceiver((received) => {
    spans.push(...received);
    onSpans();
  });
  return {
    ...receiver,
    until: (isEnough) =>
      new Promise((resolve) => {
        onSpans = () => {
          if (isEnough(spans)) resolve(spans);
        };
        onSpans();
      }),
  };
}
