import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCodes, WeirError } from '@weir/kit/errors';
import { errorText } from './envelope.js';

/** The sender of what could not be read has this long to take its answer and close. */
const lingerMs = 2000;

/** What Node's HTTP parser could not read, as the error that is answered. */
export function refusalOf(error: Error & { readonly code?: string }): WeirError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new WeirError(
        'headers_too_large',
        'The request line and headers are too long; send fewer or shorter ones.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new WeirError('request_timeout', 'The request did not arrive in time; send it again.');
    default:
      // Node tells a method that it does not know as it tells bytes that are no HTTP at all
      return new WeirError(
        'bad_request',
        'The bytes on this connection are not a valid HTTP request, or its method is unknown.',
      );
  }
}

/** Closes a connection when what was written to it is taken. */
export function closeWhenTaken(socket: Duplex, text?: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(text);
  // closing at once would reset the connection while the answer is on its way
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Answers on the bare connection, says that it was the last answer, and closes when it was taken. */
export function refuse(socket: Duplex, requestId: string, error: WeirError): void {
  const status = errorCodes[error.code].http;
  const text = errorText(requestId, error);
  closeWhenTaken(
    socket,
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-ID: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      `Date: ${new Date().toUTCString()}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
