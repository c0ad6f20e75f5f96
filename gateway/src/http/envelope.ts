import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { JsonText } from './operation.js';

/** The text of a success: `data` is put in as it is when it is JSON text already. */
export function successText(requestId: string, data: unknown): string {
  const text = data instanceof JsonText ? data.text : JSON.stringify(data ?? {});
  // request ids are of a closed alphabet, so nothing needs escaping
  return `{"request_id":"${requestId}","data":${text}}`;
}

/** What an error shows of itself. */
export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** The text of an error. */
export function errorText(requestId: string, { code, message, details }: ShownError): string {
  return JSON.stringify({ request_id: requestId, error: { code, message, details } });
}

/** What is shown of an error that is none of ours. */
export const internalError = new WeirError(
  'internal',
  'Weir failed to answer. Report the request id to the operator; whether the request had an effect is not known.',
);
