import { once } from 'node:events';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { type Exchange, takenBytesPerSecond } from './exchange.js';
import { acceptsGzip } from './negotiate.js';
import type { StreamAnswer } from './operation.js';

/**
 * The first piece and those after it, which are not asked for before the one before was taken. What fails
 * resets the connection: without chunks, as with HTTP/1.0, only that tells the client that the end is none.
 */
async function* piecesFrom(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncIterator<Uint8Array>,
  socket: Socket,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } catch (error) {
    socket.resetAndDestroy();
    throw error;
  } finally {
    await rest.return?.();
  }
}

/**
 * Counts pieces, and ends a connection whose client lets them wait: for the time of sending at once, or for as much in
 * pieces while it takes less than a client must.
 */
async function* taken(
  pieces: AsyncIterable<Uint8Array>,
  exchange: Exchange,
  end: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let leftMs = exchange.sendMs;
  for await (const piece of pieces) {
    exchange.bytes += piece.length;
    leftMs = Math.min(leftMs + (1000 * piece.length) / takenBytesPerSecond, exchange.sendMs);
    const sinceMs = performance.now();
    const timer = setTimeout(end, leftMs);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
    leftMs -= performance.now() - sinceMs;
  }
}

/**
 * Sends an answer piece by piece, each when the client has taken those before. Rejects when it could not be
 * sent whole: before the first byte nothing is answered then, after it the connection is broken.
 */
export async function sendStream(exchange: Exchange, { headers, pieces }: StreamAnswer): Promise<void> {
  const { req, res, signal } = exchange;
  const isCompressed = acceptsGzip(req.headersDistinct['accept-encoding']?.join(','));
  const all = {
    'Cache-Control': 'no-store',
    Vary: [exchange.headers['Vary'] ?? [], 'Accept, Accept-Encoding'].flat().join(', '),
    ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    // a client of 1.0 knows the end by that of the connection
    ...(req.httpVersionMinor === 0 ? { Connection: 'close' } : { 'Transfer-Encoding': 'chunked' }),
    ...headers,
  };
  if (req.method === 'HEAD') {
    if (exchange.begin(200, all)) res.end();
    return;
  }
  // until the answers before it on the connection are taken nobody can take this one: nothing is begun, or held, for it
  if (res.socket === null) {
    await once(res, 'socket', { signal });
    // the answer before it has the time of sending set still, which must not end a connection while the first piece is made
    req.socket.setTimeout(0);
  }
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (!exchange.begin(200, all)) {
    await iterator.return?.();
    return;
  }
  const reset = (): void => {
    req.socket.resetAndDestroy();
  };
  signal.addEventListener('abort', reset, { once: true });
  const counted = (pieces: AsyncIterable<Uint8Array>) => taken(pieces, exchange, reset);
  const source = piecesFrom(first, iterator, req.socket);
  // a level above the first costs more time than the network saves
  if (isCompressed) await pipeline(source, createGzip({ level: constants.Z_BEST_SPEED }), counted, res, { signal });
  else await pipeline(source, counted, res, { signal });
  signal.removeEventListener('abort', reset);
}
