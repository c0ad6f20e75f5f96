import { newId } from '@weir/kit/ids';

const accepted = /^[A-Za-z0-9._-]{1,128}$/;

/** The id of a request: the caller's own `X-Request-ID` when it is a fitting one, else a new one. */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && accepted.test(header) ? header : newId();
}
