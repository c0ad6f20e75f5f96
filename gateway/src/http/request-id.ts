import { newId } from '@weir/kit/ids';

const accepted = /^[A-Za-z0-9._-]{1,128}$/;
/** Ids are logged and answered: no key may be among them, nor one whose separators a client took for unfit in an id. */
const key = /weir[._-](dev|ing)[._-][0-9a-f]{32}[._-][0-9A-Za-z]{43}/;

/** The id of a request: the caller's own `X-Request-ID` when it is a fitting one and not a key, else a new one. */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && accepted.test(header) && !key.test(header) ? header : newId();
}
