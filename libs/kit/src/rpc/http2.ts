import { subscribe } from 'node:diagnostics_channel';
import type { Http2Stream, ServerHttp2Session } from 'node:http2';

/**
 * How much a peer may have sent before this side has read it, in bytes: one connection carries the batches of many devices
 * at once, and with the 64 KiB of HTTP/2 every few of them wait until the other side has told that it reads. What grpc-java has.
 */
export const receiveWindowBytes = 1024 * 1024;

const widened = new WeakSet<ServerHttp2Session>();

/** Gives a connection that window; for those of clients grpc-js has an option (grpc-node #3058). */
function widen(session: ServerHttp2Session): void {
  if (widened.has(session)) return;
  widened.add(session);
  session.settings({ initialWindowSize: receiveWindowBytes });
  session.setLocalWindowSize(receiveWindowBytes);
}

const ignore = (): void => undefined;

/**
 * Lets go of the call of a stream that has closed, which grpc-js leaves hanging on it by its listeners. Node makes an old
 * function of each stream, and V8 keeps what that leads to until it collects all garbage: all messages, and who waited.
 */
function forget(stream: Http2Stream): void {
  stream.once('close', () => {
    stream.removeAllListeners();
    stream.on('error', ignore);
  });
}

let isTuned = false;

/**
 * Tunes the connections of gRPC that this process has or will have, each from its first call on. A Node that does not tell
 * of streams leaves them as they are.
 */
export function tuneHttp2(): void {
  if (isTuned) return;
  isTuned = true;
  subscribe('http2.client.stream.created', (message) => forget((message as { readonly stream: Http2Stream }).stream));
  subscribe('http2.server.stream.created', (message) => {
    const { stream } = message as { readonly stream: Http2Stream };
    forget(stream);
    if (stream.session !== undefined) widen(stream.session as ServerHttp2Session);
  });
}
