import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

/**
 * How much a peer may have sent before this side has read it, in bytes: one connection carries the batches of many devices
 * at once, and with the 64 KiB of HTTP/2 every few of them wait until the other side has told that it reads. What grpc-java has.
 */
export const receiveWindowBytes = 1024 * 1024;

const created = 'http2.server.stream.created';
const widened = new WeakSet<ServerHttp2Session>();

function widen(message: unknown): void {
  const { session } = (message as { readonly stream: ServerHttp2Stream }).stream;
  if (session === undefined || widened.has(session as ServerHttp2Session)) return;
  widened.add(session as ServerHttp2Session);
  (session as ServerHttp2Session).settings({ initialWindowSize: receiveWindowBytes });
  (session as ServerHttp2Session).setLocalWindowSize(receiveWindowBytes);
}

/**
 * Gives connections of this process's servers that window, from their first call on. grpc-js has an option for clients alone
 * (grpc-node #3058), and does not show the server's sessions. A Node that does not tell of streams leaves them as they are.
 */
export function widenServerWindows(): Disposable {
  subscribe(created, widen);
  return { [Symbol.dispose]: () => unsubscribe(created, widen) };
}
