import { Error as ErrorMessage } from '@weir/proto/common';
import { type CallContext, ClientError, type Metadata, ServerError, Status } from 'nice-grpc-common';
import { type ErrorCode, errorCodes, isErrorCode, unavailable, WeirError } from '../errors/index.js';

/** The trailer that carries the proto form of a WeirError. */
const trailerKey = 'weir-error-bin';

/** Puts an error into the trailer of a call and answers what to throw for its status. */
export function encodeError(error: WeirError, context: CallContext): ServerError {
  const { code, message, details, retryAfterSeconds } = error;
  const encoded = ErrorMessage.encode({ code, message, details: [...details], retryAfterSeconds }).finish();
  context.trailer.set(trailerKey, encoded);
  return new ServerError(errorCodes[code].grpc, code);
}

function codeOfStatus(status: Status): ErrorCode {
  return status === Status.UNAVAILABLE || status === Status.DEADLINE_EXCEEDED ? 'dependency_unavailable' : 'internal';
}

/** The WeirError that a failed call means: the one of its trailer, or what its status says. */
export function decodeError(error: unknown, trailer: Metadata): unknown {
  const encoded = trailer.get(trailerKey);
  if (encoded !== undefined) {
    const { code, message, details, retryAfterSeconds } = ErrorMessage.decode(encoded);
    const options = retryAfterSeconds === undefined ? { details } : { details, retryAfterSeconds };
    if (isErrorCode(code)) return new WeirError(code, message, options);
  }
  if (!(error instanceof ClientError)) return error;
  const service = error.path.split('/')[1]?.split('.')[1] ?? 'service';
  return codeOfStatus(error.code) === 'dependency_unavailable'
    ? unavailable(`The ${service} service does not answer.`, error)
    : new WeirError('internal', `The ${service} service failed.`, { cause: error });
}

function hasStatus(error: unknown, status: Status): boolean {
  const cause = error instanceof WeirError ? error.cause : undefined;
  return cause instanceof ClientError && cause.code === status;
}

/** Whether a call ended because the other side does not know its method: it is of a release before this one. */
export function isMethodUnknown(error: unknown): boolean {
  return hasStatus(error, Status.UNIMPLEMENTED);
}

/** Whether a call ended because nobody is there, or no longer: it may have had its effect, and another replica may answer. */
export function isUnanswered(error: unknown): boolean {
  return hasStatus(error, Status.UNAVAILABLE);
}
