const flushDeadlineMs = 2000;
let flush: (() => Promise<void>) | undefined;

/** Tells how spans that wait are sent; called by the preload. */
export function registerFlush(shutdown: () => Promise<void>): void {
  flush = shutdown;
}

/** Sends the spans that wait, at the end of a process. Takes 2 s at most and never fails. */
export async function flushTelemetry(): Promise<void> {
  if (flush === undefined) return;
  const deadline = new Promise<void>((resolve) => setTimeout(resolve, flushDeadlineMs).unref());
  await Promise.race([flush().catch(() => undefined), deadline]);
}
