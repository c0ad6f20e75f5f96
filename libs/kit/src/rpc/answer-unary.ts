import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { inRequest, type Logger } from '../log/index.js';
import { inChange, inRead } from '../reads/index.js';
import { inSpan } from '../telemetry/index.js';
import { inProject } from '../tenancy/index.js';
import { ArrivedCall } from './arrived-call.js';
import { CallEnd, remainingMs, timeoutHeader } from './deadline.js';
import { statusOf } from './errors.js';
import type { UnaryMethod } from './service-types.js';

/** A method that is answered here. */
export interface AnsweredMethod {
  readonly call: UnaryMethod<unknown, unknown>;
  /** Writes what it answers. */
  readonly encode: (answer: unknown) => Uint8Array;
  /** Whether it ends with its call. */
  readonly isRead: boolean;
}

/** The project that a request names, or nothing. */
export function projectOf(request: unknown): string {
  const { projectId } = request as { readonly projectId?: unknown };
  return typeof projectId === 'string' ? projectId : '';
}

/** One call: its request is read, the method called, its answer or error sent. */
class UnaryCall extends ServerInterceptingCall {
  readonly #below: ServerInterceptingCallInterface;
  readonly #path: string;
  readonly #method: AnsweredMethod;
  readonly #log: Logger;
  #metadata: Metadata | undefined;
  #request: unknown;
  #end: CallEnd | undefined;

  constructor(below: ServerInterceptingCallInterface, path: string, method: AnsweredMethod, log: Logger) {
    super(below);
    this.#below = below;
    this.#path = path;
    this.#method = method;
    this.#log = log;
  }

  override start(): void {
    const below = this.#below;
    below.start({
      onReceiveMetadata: (metadata) => {
        this.#metadata = metadata;
        below.startRead();
      },
      onReceiveMessage: (request) => {
        if (this.#request !== undefined) return this.#refuse('The call has two requests.');
        this.#request = request;
        below.startRead();
      },
      onReceiveHalfClose: () => {
        if (this.#request === undefined) return this.#refuse('The call has no request.');
        inRequest(this.#header('x-request-id') ?? '', () => this.#answer()).catch((error: unknown) => {
          this.#log.error({ err: error, method: this.#path }, 'a call could not be answered');
          below.sendStatus({ code: status.INTERNAL, details: 'The call could not be answered.' });
        });
      },
      // told at every end, when nobody listens to the signal any more
      onCancel: () => this.#end?.leave(),
    });
  }

  #refuse(details: string): void {
    this.#below.sendStatus({ code: status.UNIMPLEMENTED, details });
  }

  #header(name: string): string | undefined {
    return this.#metadata?.get(name)[0]?.toString();
  }

  async #answer(): Promise<void> {
    const below = this.#below;
    const arrived = new ArrivedCall(this.#log, this.#path, this.#header('traceparent'));
    let signal: AbortSignal | undefined;
    try {
      using end = new CallEnd(remainingMs(this.#header(timeoutHeader)));
      this.#end = end;
      signal = end.signal;
      const answer = await inSpan(arrived.name, arrived.span, () => this.#call(end.signal));
      const bytes = this.#method.encode(answer);
      arrived.ended();
      below.sendMessage(bytes, () => below.sendStatus({ code: status.OK, details: 'OK' }));
    } catch (error) {
      below.sendStatus(statusOf(arrived.failed(error, signal)));
    } finally {
      this.#end = undefined;
    }
  }

  #call(signal: AbortSignal): Promise<unknown> {
    const { call, isRead } = this.#method;
    const request = this.#request;
    this.#request = undefined;
    return (isRead ? inRead : inChange)(signal, () => inProject(projectOf(request), () => call(request, { signal })));
  }
}

/**
 * Answers calls with one answer, by the paths of their methods. It does so in front of the handlers of grpc-js, whose every call is
 * a stream that V8 keeps, with the request, until it collects all garbage.
 */
export function answerUnary(methods: ReadonlyMap<string, AnsweredMethod>, log: Logger): ServerInterceptor {
  return ({ path }, call) => {
    const method = methods.get(path);
    return method === undefined ? new ServerInterceptingCall(call) : new UnaryCall(call, path, method, log);
  };
}
