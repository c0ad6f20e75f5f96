import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { unavailable, WeirError } from '@weir/kit/errors';
import { InProgress } from '@weir/kit/garbage';
import type { Started } from '@weir/kit/lifecycle';
import { createInstruments, observeGauges } from '@weir/kit/metrics';
import { metrics } from '../metrics.js';
import { boundConnections } from './bound-connections.js';
import type { ClientAddress } from './client-address.js';
import { originForm, pathOf } from './dispatch.js';
import { Exchange } from './exchange.js';
import { serveHealth } from './health.js';
import { closeQueuedAnswers } from './queued-answers.js';
import { closeWhenTaken, refusalOf, refuse } from './refuse.js';
import { requestIdOf } from './request-id.js';

/** Requests in flight have this long to end when the server stops; then they are answered 503. */
const stopGraceMs = 10_000;
/** Connections have this long to end after their last answer. */
const lingerMs = 500;

/**
 * Whether a request asks for another protocol. None is spoken, so it is answered as if it did not; but Node's parser
 * drops what came with it in one packet, so that what comes next may begin in the middle of a request.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(^|,)[ \t]*upgrade[ \t]*(,|$)/i.test(headers.connection ?? '');
}

/**
 * Whether a connection timed out on which nothing ever came, as browsers and pools open them in advance. To answer it would be to
 * answer a request that is on its way just then, so it is only closed, and its client may ask again on another one (RFC 9112, 9.3.1).
 */
function isUnused(error: Error & { code?: string }, socket: Duplex): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
}

/** What the HTTP server is started with. */
export interface ServerOptions {
  /** host:port; port 0 takes a free one. */
  readonly listenAddress: string;
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
  /** A request must have arrived within it, whatever it is. */
  readonly requestTimeoutMs: number;
  /** How long a client may take nothing of an answer. */
  readonly sendTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Beyond so many connections the one that was idle longest makes room. */
  readonly connectionsMax: number;
  /** How long it keeps serving after it says that it is not ready. */
  readonly drainMs: number;
  readonly clientAddress: ClientAddress;
  /** Whether all that is needed answers. */
  readonly isReady: () => boolean;
  readonly dispatch: (exchange: Exchange) => void;
}

/** A started HTTP server. */
export interface HttpServer extends Started {
  readonly host: string;
  readonly port: number;
}

/**
 * Starts the HTTP server. Disposing says not ready, serves for `drainMs` more with every answer the last
 * of its connection, stops listening and waits for what is in flight.
 */
export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  let isStopping = false;
  const inFlight = new InProgress<Exchange>();
  let settled = (): void => undefined;
  /** The latest request of each connection, for what breaks on the connection itself. */
  const latest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();
  /** Connections on which nothing more is read after the request that is being answered. */
  const misread = new WeakSet<Duplex>();
  const closeWithConnection = closeQueuedAnswers();
  const health = { isReady: () => !isStopping && options.isReady() };

  const begin = (req: IncomingMessage, res: ServerResponse): void => {
    if (misread.has(req.socket)) return;
    if (asksForUpgrade(req)) misread.add(req.socket);
    req.url = originForm(req.url ?? '');
    const forwardedFor = req.headers['x-forwarded-for'];
    const address = options.clientAddress(
      req.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    );
    const requestId = requestIdOf(req.headers['x-request-id']);
    const exchange = new Exchange(req, res, requestId, address, options.sendTimeoutMs);
    closeWithConnection(req, res);
    exchange.isLast = isStopping || misread.has(req.socket);
    if (serveHealth(pathOf(req.url), exchange, health)) return;
    inFlight.enter(exchange);
    latest.set(req.socket, exchange);
    exchange.whenTaken(() => {
      inFlight.leave(exchange);
      if (inFlight.size === 0) settled();
    });
    options.dispatch(exchange);
  };

  const refuseOnce = (socket: Duplex, error: WeirError, requestId = requestIdOf(undefined)): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const exchange = latest.get(socket);
    const isAnswered = exchange === undefined || exchange.res.closed;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // what broke is the body of a request that is being answered already
    if (!isAnswered && exchange.res.headersSent && !exchange.req.complete) return closeWhenTaken(socket);
    if (isAnswered) refuse(socket, requestId, error);
    else if (exchange.req.complete) {
      // what broke is a later request: it is answered after those before it
      exchange.res.once('close', () => {
        if (socket.writable) refuse(socket, requestId, error);
      });
    } else {
      refuse(socket, exchange.requestId, error);
      exchange.giveUp(error);
    }
  };

  const server = createServer({
    maxHeaderSize: options.headerBytesMax,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs),
    // Node's own answer to a missing Host has no envelope; the dispatch checks it
    requireHostHeader: false,
  });
  const connectionCount = boundConnections(server, options.connectionsMax);
  const { active, connections } = createInstruments(metrics);
  const observed = observeGauges([active, connections], () => {
    active.set(inFlight.size);
    connections.set(connectionCount());
  });
  server.on('request', begin);
  // the body's reader says 100 when it comes to reading; expectations that nobody knows are not ours to refuse
  server.on('checkContinue', begin);
  server.on('checkExpectation', begin);
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || isUnused(error, socket)) socket.destroy();
    else refuseOnce(socket, refusalOf(error));
  });
  server.on('connect', ({ headers }: IncomingMessage, socket: Duplex) => {
    refuseOnce(socket, new WeirError('bad_request', 'This server is no proxy.'), requestIdOf(headers['x-request-id']));
  });
  const at = options.listenAddress.lastIndexOf(':');
  const host = options.listenAddress.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(options.listenAddress.slice(at + 1)), host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });

  return {
    host,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      isStopping = true;
      for (const exchange of inFlight) exchange.isLast = true;
      if (options.drainMs > 0) await new Promise((resolve) => setTimeout(resolve, options.drainMs));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const answerAll = setTimeout(() => {
        const reason = unavailable('The gateway is stopping; send the request again.');
        for (const exchange of inFlight) exchange.abort(reason);
      }, stopGraceMs);
      if (inFlight.size > 0) {
        const allEnded = new Promise<void>((resolve) => {
          settled = resolve;
        });
        await Promise.race([allEnded, new Promise((resolve) => setTimeout(resolve, stopGraceMs + lingerMs).unref())]);
      }
      // what is left are connections without a request, which Node does not count as idle before their first
      const closeAll = setTimeout(() => server.closeAllConnections(), lingerMs);
      await closed;
      observed[Symbol.dispose]();
      clearTimeout(answerAll);
      clearTimeout(closeAll);
    },
  };
}
