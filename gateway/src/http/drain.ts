import type { IncomingMessage } from 'node:http';

/** How much of a refused body is read on, so that its sender comes to read the answer. */
export const drainBytesMax = 64 * 1024 * 1024;
/** How long that may take. */
const drainMs = 10_000;

/** Whether a request says that it has a body: a length above zero, or chunks. */
export function declaresBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return (length !== undefined && !/^0+$/.test(length)) || req.headers['transfer-encoding'] !== undefined;
}

/** Reads the rest of a body and throws it away. @returns whether it came to its end within the bounds */
export function drain(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (drained: boolean): void => {
      clearTimeout(timer);
      req.removeListener('data', onData);
      req.pause();
      resolve(drained);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > drainBytesMax) end(false);
    };
    const timer = setTimeout(() => end(false), drainMs);
    if (req.readableEnded) return end(true);
    req.on('data', onData);
    req.once('end', () => end(true));
    req.once('close', () => end(false));
    req.resume();
  });
}
