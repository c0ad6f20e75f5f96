import { type Context, context as contexts, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { unavailable, WeirError } from '../errors/index.js';
import { currentRequestId, type Logger } from '../log/index.js';
import { SpanKind, type SpanOptions } from '../telemetry/index.js';
import { noteCall } from './note-call.js';

/** A call that a service has to answer: its span, and what is told of it when it has ended. */
export class ArrivedCall {
  readonly #log: Logger;
  readonly #name: string;
  readonly #parent: Context;
  readonly #startedMs = performance.now();

  /** @param path - of the method, as `/package.Service/Method` */
  constructor(log: Logger, path: string, traceparent: string | undefined) {
    this.#log = log;
    this.#name = path.slice(1);
    this.#parent = propagation.extract(ROOT_CONTEXT, { traceparent });
  }

  get name(): string {
    return this.#name;
  }

  get span(): SpanOptions {
    const requestId = currentRequestId();
    const attributes = {
      'rpc.system.name': 'grpc',
      'rpc.method': this.#name,
      ...(requestId !== '' && { 'weir.request_id': requestId }),
    };
    return { kind: SpanKind.SERVER, parent: this.#parent, attributes };
  }

  /** Counts the call as ended, by an error where there is one. */
  ended(error?: WeirError): void {
    noteCall('server', this.#name, this.#startedMs, error);
    if (this.#log.isLevelEnabled('debug'))
      this.#tell(() =>
        this.#log.debug({ method: this.#name, code: error?.code, ms: performance.now() - this.#startedMs }, 'call'),
      );
  }

  /** Counts the call as failed by what was thrown, and answers what its caller is told of it. */
  failed(error: unknown, signal: AbortSignal | undefined): WeirError {
    const told = this.#judge(error, signal?.aborted === true);
    this.ended(told);
    return told;
  }

  #judge(error: unknown, isAborted: boolean): WeirError {
    if (error instanceof WeirError) {
      // a caller that went away ends what is done for it, and is no trouble
      if (error.cause !== undefined && !isAborted)
        this.#tell(() => this.#log.warn({ err: error, method: this.#name }, 'call failed'));
      return error;
    }
    if (isAborted) return unavailable('The caller went away or its time is up.');
    this.#tell(() => this.#log.error({ err: error, method: this.#name }, 'unexpected error'));
    return new WeirError('internal', 'An unexpected error; the log of the service has it.');
  }

  /** Its span has ended, and what is logged belongs to the trace all the same. */
  #tell(write: () => void): void {
    contexts.with(this.#parent, write);
  }
}
