import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCodes, unavailable, WeirError } from '@weir/kit/errors';
import type { Placed } from '@weir/kit/garbage';
import { declaresBody, drain, drainBytesMax } from './drain.js';
import type { DeveloperPrincipal, IngestionPrincipal } from './operation.js';

/** The slowest that a client may take a long answer. */
export const takenBytesPerSecond = 65_536;

/** The reason of an abort when the client went away: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** One request and its answer. */
export class Exchange implements Placed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
  readonly startedMs = performance.now();
  /** Template of the route; undefined while none is known. */
  route: string | undefined;
  principal: DeveloperPrincipal | IngestionPrincipal | undefined;
  /** Put on the answer, whatever it is. */
  readonly headers: Record<string, string> = {};
  /** The answer must be the last one of its connection. */
  isLast = false;
  /** Where it stands among those in progress. */
  place = -1;
  /** What was answered; 0 while nothing was. */
  status = 0;
  bytes = 0;
  /** Whether the body is still being read: decides what an expired deadline means. */
  isReading = false;
  /** A client that takes nothing of its answer for so long loses the connection, in milliseconds. */
  readonly sendMs: number;
  /** Made when somebody asks for the signal: it costs as much as all else here. */
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #aborted: PromiseWithResolvers<never> | undefined;
  /** Called by one listener: each of its own costs a small request as much as its headers do. */
  readonly #whenTaken: (() => void)[] = [];

  constructor(req: IncomingMessage, res: ServerResponse, requestId: string, address: string, sendMs: number) {
    this.req = req;
    this.res = res;
    this.requestId = requestId;
    this.address = address;
    this.sendMs = sendMs;
    this.headers['X-Request-ID'] = requestId;
    this.headers['X-Content-Type-Options'] = 'nosniff';
    res.once('close', () => {
      clearTimeout(this.#timer);
      if (!res.writableFinished) this.abort(new ClientGone());
      for (const act of this.#whenTaken) act();
    });
  }

  /** Aborted with a WeirError when the time is up, with ClientGone when the client went away. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Why it was aborted; undefined while it was not. */
  get abortReason(): Error | undefined {
    return this.#reason;
  }

  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#aborted?.reject(reason);
  }

  /** Starts the time that the request may take until it is answered; one whose answer is streamed, until its end. */
  startDeadline(timeoutMs: number): void {
    this.#timer = setTimeout(() => {
      this.abort(
        this.isReading
          ? new WeirError('request_timeout', `The body did not arrive within ${timeoutMs} ms; send it again.`)
          : unavailable(`The request took longer than ${timeoutMs} ms.`),
      );
    }, timeoutMs);
  }

  /** Waits for work, but not beyond an abort. */
  within<T>(work: Promise<T>): Promise<T> {
    if (this.#aborted === undefined) {
      this.#aborted = Promise.withResolvers<never>();
      this.#aborted.promise.catch(() => undefined);
      if (this.#reason !== undefined) this.#aborted.reject(this.#reason);
    }
    return Promise.race([work, this.#aborted.promise]);
  }

  /** Calls when the answer was taken or the connection has ended; at once where that is so already. */
  whenTaken(act: () => void): void {
    if (this.res.destroyed) act();
    else this.#whenTaken.push(act);
  }

  /**
   * Sends the whole answer, which must be taken in a time that its length allows. A body that was not read is
   * drained within bounds after it, so that its sender comes to read the answer.
   */
  send(status: number, headers: Readonly<Record<string, string>>, content: string | Buffer): void {
    const { req, res } = this;
    if (this.status !== 0 || res.destroyed) return;
    this.status = status;
    const hasContent = status !== 204 && status !== 304;
    const length = hasContent ? Buffer.byteLength(content) : 0;
    const all: Record<string, string> = { ...this.headers, ...headers };
    if (hasContent) all['Content-Length'] = String(length);
    const isUnread = declaresBody(req) && !req.complete;
    // a length within the bound can be read to its end, so only those connections stay usable
    const isDrainable = Number(req.headers['content-length'] ?? Number.NaN) <= drainBytesMax;
    // nor does one stay whose sender has been too slow already
    const isEnding = !isDrainable || req.headers.expect !== undefined || status === 408;
    if (this.isLast || (isUnread && isEnding)) all['Connection'] = 'close';
    const isSilent = !hasContent || req.method === 'HEAD';
    this.bytes = isSilent ? 0 : length;
    clearTimeout(this.#timer);
    res.writeHead(status, all);
    if (!isUnread) {
      res.end(isSilent ? undefined : content);
      // most answers are taken by the kernel at once, and there is nothing to wait for
      if (res.writableLength === 0) return;
      this.#startSending();
      this.#startTaking();
      return;
    }
    this.#startSending();
    if (isSilent) res.flushHeaders();
    else res.write(content);
    void drain(req).then((drained) => {
      this.#startTaking();
      res.end();
      if (!drained) res.destroy();
    });
  }

  /**
   * Starts the time in which the client must take the answer, when its turn on the connection comes: one that takes a
   * byte now and then would have it, and its connection, for as long as it likes.
   */
  #startTaking(): void {
    // whole seconds: timers of the same length cost less
    const takeMs = this.sendMs + 1000 * Math.floor(this.bytes / takenBytesPerSecond);
    this.#inTurn(() => {
      // what is left would stay in the kernel were the connection closed
      this.#timer = setTimeout(() => this.req.socket.resetAndDestroy(), takeMs);
    });
  }

  /**
   * Has Node end the connection when nothing moves on it for the time of sending, from the turn of this answer on: before
   * it another one may be made for longer. Node sets its own time again after the last answer.
   */
  #startSending(): void {
    this.#inTurn(() => this.req.socket.setTimeout(this.sendMs));
  }

  /** Acts when the turn of the answer on its connection comes, unless the connection ends before. */
  #inTurn(act: () => void): void {
    if (this.res.destroyed) return;
    if (this.res.socket === null) this.res.once('socket', () => this.#inTurn(act));
    else act();
  }

  /**
   * Begins an answer that is then written to `res`. The time of the request goes on; a client that takes nothing
   * for the time of sending loses the connection here too.
   *
   * @returns whether there is somebody to answer
   */
  begin(status: number, headers: Readonly<Record<string, string>>): boolean {
    if (this.status !== 0 || this.res.destroyed) return false;
    this.status = status;
    this.#startSending();
    this.res.writeHead(status, { ...this.headers, ...headers, ...(this.isLast && { Connection: 'close' }) });
    return true;
  }

  /** Says that somebody answered this on its bare connection. */
  giveUp(error: WeirError): void {
    this.status = errorCodes[error.code].http;
    this.abort(new ClientGone());
  }
}
