import { WeirError } from '@weir/kit/errors';
import { addIssues } from '@weir/kit/faults';
import { admit } from './admit.js';
import { isUnchanged } from './conditional.js';
import { successText } from './envelope.js';
import { ClientGone, type Exchange } from './exchange.js';
import { sendError } from './failure.js';
import { Faults } from './faults.js';
import type { Holding } from './held-bytes.js';
import type { Machine } from './machine.js';
import { JsonText, RawAnswer, StreamAnswer } from './operation.js';
import { readRequest } from './read-request.js';
import type { Endpoint } from './routes.js';
import { sendStream } from './send-stream.js';

function sendRaw(exchange: Exchange, { status, headers, body }: RawAnswer): void {
  if (isUnchanged(exchange.req, headers['ETag'])) {
    const { 'Content-Type': _, ...rest } = headers;
    exchange.send(304, rest, '');
    // one body for all, so it is held once, however many have not taken it
  } else exchange.send(status, headers, body);
}

/** An answer that the operation's own schema refuses, outside production. */
function checkAnswer(endpoint: Endpoint, data: unknown): void {
  const { schema } = endpoint.operation.success;
  // what is sent is what counts: text is parsed, and members that are undefined are not sent
  const sent: unknown = JSON.parse(data instanceof JsonText ? data.text : JSON.stringify(data ?? {}));
  const parsed = schema.safeParse(sent, { reportInput: true });
  if (parsed.success) return;
  const faults = new Faults();
  addIssues(parsed.error.issues, faults);
  try {
    faults.throwIfAny();
  } catch (error) {
    throw new Error(`${endpoint.operation.id} answers what it does not declare`, { cause: error });
  }
}

function sendData(endpoint: Endpoint, exchange: Exchange, machine: Machine, holding: Holding, data: unknown): void {
  if (data instanceof RawAnswer) return sendRaw(exchange, data);
  if (machine.undeclared === 'fail') checkAnswer(endpoint, data);
  const text = successText(exchange.requestId, data);
  const bytes = Buffer.byteLength(text);
  if (bytes > machine.responseBytesMax)
    throw new WeirError(
      'response_too_large',
      `The answer would exceed ${machine.responseBytesMax} bytes; ask for less at a time.`,
    );
  // in place of the body, with which nobody works any more; what was changed is told in any case
  if (exchange.req.method === 'GET') holding.holds(bytes);
  else holding.mustHold(exchange.req.method === 'HEAD' ? 0 : bytes);
  exchange.send(
    endpoint.operation.success.status,
    { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    text,
  );
}

/** Whose the bytes are that a request holds. */
function holderOf({ principal }: Exchange): string {
  if (principal === undefined) return '';
  return principal.kind === 'developer' ? principal.keyId : principal.connectionId;
}

async function answer(
  endpoint: Endpoint,
  exchange: Exchange,
  machine: Machine,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { operation } = endpoint;
  const admission = await admit(operation, exchange, machine, params['project_id']);
  const holding = machine.heldBytes.open(holderOf(exchange));
  let work: Promise<unknown> | undefined;
  try {
    const request = await readRequest(operation, exchange, params, machine.bodyBytesMax, holding);
    work = operation.handle(request as never);
    const data = await exchange.within(work);
    if (data instanceof StreamAnswer) await exchange.within((work = sendStream(exchange, data)));
    else sendData(endpoint, exchange, machine, holding, data);
  } finally {
    // work that outlives its answer still holds its place, and so does an answer that is not taken
    const release = (): void =>
      exchange.whenTaken(() => {
        holding.holds(0);
        admission.release();
      });
    if (work === undefined) {
      // what was read of the body is thrown away
      holding.holds(0);
      release();
    } else work.then(release, release);
  }
}

/** The error to answer for what was thrown; faults of ours are logged, once. */
function judge(endpoint: Endpoint, exchange: Exchange, machine: Machine, thrown: unknown): unknown {
  const { log, undeclared } = machine;
  const { operation, throwable } = endpoint;
  const fields = { err: thrown, operation: operation.id };
  if (!(thrown instanceof WeirError)) {
    // whatever the handler threw because of the abort, its reason is the answer
    if (exchange.abortReason instanceof WeirError) return exchange.abortReason;
    log.error(fields, 'unexpected error');
    return thrown;
  }
  if (!throwable.has(thrown.code) && thrown.code !== 'request_timeout') {
    log.error(fields, 'an operation answered a code that it does not declare');
    return undeclared === 'fail' ? new WeirError('internal', 'undeclared') : thrown;
  }
  if (thrown.code === 'internal') log.error(fields, 'a service failed');
  else if (thrown.cause !== undefined) log.warn(fields, 'a dependency failed');
  return thrown;
}

/** Serves one request of an operation; answers every error and never throws. */
export async function serve(
  endpoint: Endpoint,
  exchange: Exchange,
  machine: Machine,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  exchange.startDeadline(endpoint.timeoutMs);
  try {
    await answer(endpoint, exchange, machine, params);
  } catch (thrown) {
    if (exchange.abortReason instanceof ClientGone) return;
    sendError(exchange, judge(endpoint, exchange, machine, thrown));
  }
}
