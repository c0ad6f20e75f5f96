import type { Logger } from '@weir/kit/log';
import type { HeldBytes } from './held-bytes.js';
import type { Authenticator, Limiter } from './ports.js';
import type { PublicLimit } from './public-limit.js';

/** What all requests share. */
export interface Machine {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  /** Lets calls of operations in that need no key. */
  readonly publicLimit: PublicLimit;
  /** What is held of bodies and answers. */
  readonly heldBytes: HeldBytes;
  /** Largest answer of an operation that needs a key, in bytes. */
  readonly responseBytesMax: number;
  /** Largest body that an operation which takes none reads past, in bytes. */
  readonly bodyBytesMax: number;
  /** Whether the caller's trace is continued; else it is only linked to. */
  readonly trustTraceparent: boolean;
  /**
   * What becomes of an answer that its operation does not declare (a code, or data that its schema
   * refuses): `fail` answers 500, so that a test fails; `report` lets it pass. Both log an error.
   */
  readonly undeclared: 'fail' | 'report';
  readonly log: Logger;
}
