import { Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { Error as ErrorMessage } from '@weir/proto/common';
import { type CallContext, ClientError, ServerError, Status, type Metadata as Trailer } from 'nice-grpc-common';
import { type ErrorCode, errorCodes, isErrorCode, unavailable, WeirError } from '../errors/index.js';
import type { CallEnd } from './deadline.js';

/** The trailer that carries the proto form of a WeirError. */
const trailerKey = 'weir-error-bin';

function encode({ code, message, details, retryAfterSeconds }: WeirError): Uint8Array {
  return ErrorMessage.encode({ code, message, details: [...details], retryAfterSeconds }).finish();
}

/** The status that a call with one answer ends with for an error. */
export function statusOf(error: WeirError): StatusObject {
  const metadata = new Metadata();
  metadata.set(trailerKey, Buffer.from(encode(error)));
  return { code: errorCodes[error.code].grpc, details: error.code, metadata };
}

/** Puts an error into the trailer of a call. */
export function setErrorTrailer(context: CallContext, error: WeirError): void {
  context.trailer.set(trailerKey, encode(error));
}

/** What the error in the trailer of a call says; undefined where there is none. */
export function messageOf(trailer: Trailer): string | undefined {
  const encoded = trailer.get(trailerKey);
  return encoded === undefined ? undefined : ErrorMessage.decode(encoded).message;
}

/** Puts an error into the trailer of a stream and answers what to throw for its status. */
export function encodeError(error: WeirError, context: CallContext): ServerError {
  setErrorTrailer(context, error);
  return new ServerError(errorCodes[error.code].grpc, error.code);
}

/** Whether the other side went away in the middle of the call: grpc-js makes that a status of its own, which no service answers. */
function isBrokenOff({ code, details }: ClientError): boolean {
  return code === Status.INTERNAL && /^Received RST_STREAM(?!.* triggered by)/.test(details);
}

function codeOf(error: ClientError): ErrorCode {
  const { code } = error;
  const isGone = code === Status.UNAVAILABLE || code === Status.DEADLINE_EXCEEDED || isBrokenOff(error);
  return isGone ? 'dependency_unavailable' : 'internal';
}

function decode(error: ClientError, encoded: Uint8Array | undefined): WeirError {
  if (encoded !== undefined) {
    const { code, message, details, retryAfterSeconds } = ErrorMessage.decode(encoded);
    const options = retryAfterSeconds === undefined ? { details } : { details, retryAfterSeconds };
    if (isErrorCode(code)) return new WeirError(code, message, options);
  }
  const service = serviceOf(error.path.slice(1));
  return codeOf(error) === 'dependency_unavailable'
    ? unavailable(`The ${service} service does not answer.`, error)
    : new WeirError('internal', `The ${service} service failed.`, { cause: error });
}

/** What people call the service of a method such as `weir.dashboards.v1.DashboardsService/GetDashboard`. */
function serviceOf(method: string): string {
  return method.split('.')[1] ?? 'called';
}

/** What a caller is told of an error; of an expired deadline, that the service does not answer. */
export function orLate(error: unknown, { lateAfterMs }: CallEnd, name: string, mayRepeat: boolean): unknown {
  if (lateAfterMs === undefined) return error;
  const late = `The ${serviceOf(name)} service did not answer in ${lateAfterMs} ms.`;
  return unavailable(mayRepeat ? late : `${late} What was asked of it may have happened all the same.`, error);
}

/** The WeirError that the end of a stream means: the one of its trailer, or what its status says. */
export function decodeError(error: unknown, trailer: Trailer): unknown {
  return error instanceof ClientError ? decode(error, trailer.get(trailerKey)) : error;
}

/** The same for the status of a call with one answer. */
export function decodeStatus(path: string, { code, details, metadata }: ServiceError): WeirError {
  const [encoded] = metadata.get(trailerKey);
  return decode(new ClientError(path, code, details), encoded instanceof Buffer ? encoded : undefined);
}

/** The status that a call ended with, where that is why there is an error. */
function statusBehind(error: unknown): ClientError | undefined {
  const cause = error instanceof WeirError ? error.cause : undefined;
  return cause instanceof ClientError ? cause : undefined;
}

/** Whether a call ended because the other side does not know its method: it is of a release before this one. */
export function isMethodUnknown(error: unknown): boolean {
  return statusBehind(error)?.code === Status.UNIMPLEMENTED;
}

/** Whether a call ended because nobody is there, or no longer: it may have had its effect, and another replica may answer. */
export function isUnanswered(error: unknown): boolean {
  return statusBehind(error)?.code === Status.UNAVAILABLE || hasBrokenOff(error);
}

/** Whether a call ended in its middle, by which gRPC's own retries do not begin. */
export function hasBrokenOff(error: unknown): boolean {
  const status = statusBehind(error);
  return status !== undefined && isBrokenOff(status);
}
