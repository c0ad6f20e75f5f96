import { WeirError } from '@weir/kit/errors';
import type { CredentialHeaders } from '../http/ports.js';

/** One sentence for every key that is not accepted: why stays in the log of the access service. */
export function invalidCredential(cause?: unknown): WeirError {
  const message = 'The key is unknown, revoked, expired or of the wrong kind; send a valid one.';
  return new WeirError('invalid_credential', message, { cause });
}

/** The key of `Authorization: Bearer <key>`, or undefined when the header is of another scheme or form. */
function bearer(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/**
 * The key text of a Developer API request.
 *
 * @throws WeirError `unauthenticated` without `Authorization`, `invalid_credential` when it is not a Bearer key
 */
export function developerKeyText({ authorization }: CredentialHeaders): string {
  if (authorization === undefined)
    throw new WeirError('unauthenticated', 'Send a Developer API key as Authorization: Bearer <key>.');
  const key = bearer(authorization);
  if (key === undefined) throw invalidCredential();
  return key;
}

/**
 * The key text of an ingestion request: that of `X-API-Key`, else that of `Authorization: Bearer`.
 * Both may be given when they are the same key; beside an `X-API-Key`, an `Authorization` of another
 * scheme is not Weir's matter (a proxy's, say).
 *
 * @throws WeirError `unauthenticated` with neither, `invalid_credential` when they are no keys or two
 */
export function ingestionKeyText({ authorization, xApiKey }: CredentialHeaders): string {
  const fromBearer = authorization === undefined ? undefined : bearer(authorization);
  if (xApiKey !== undefined) {
    if (fromBearer !== undefined && fromBearer !== xApiKey) throw invalidCredential();
    return xApiKey;
  }
  if (authorization === undefined)
    throw new WeirError(
      'unauthenticated',
      'Send the key of an ingestion connection as X-API-Key: <key> or Authorization: Bearer <key>.',
    );
  if (fromBearer === undefined) throw invalidCredential();
  return fromBearer;
}
