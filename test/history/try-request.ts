import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as it is tried. */
export interface Tried {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * What became of one try: an answer, or why there is none.
 *
 * - `reset`: its connection ended before a byte of the answer, and whoever sends may repeat it: it changes nothing, or it
 *   went over a connection that was kept, which the other side may have closed before it knew of the request
 * - `broken`: the connection ended within the answer, or before that of a request that may not be repeated
 * - `silent`: nothing came in time
 */
export type Outcome = { readonly status: number; readonly text: string } | 'reset' | 'broken' | 'silent';

/** Sends a request once, over a connection that the agent keeps. */
export async function tryRequest(agent: Agent, tried: Tried, patienceMs: number): Promise<Outcome> {
  const { method, url, headers, body } = tried;
  const signal = AbortSignal.timeout(patienceMs);
  const sent = request(url, { agent, method, headers, signal });
  // it is told below, and may come again after that
  sent.on('error', () => undefined);
  let bytesBefore = 0;
  sent.once('socket', (socket) => {
    bytesBefore = socket.bytesRead;
  });
  sent.end(body);
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  } catch {
    if (signal.aborted) return 'silent';
    const hasBegun = (sent.socket?.bytesRead ?? 0) > bytesBefore;
    return !hasBegun && (method === 'GET' || sent.reusedSocket) ? 'reset' : 'broken';
  }
}
