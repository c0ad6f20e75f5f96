import { unavailable } from '@weir/kit/errors';
import { createInstruments, observeGauges } from '@weir/kit/metrics';
import { metrics } from '../metrics.js';
import type { Operation } from './operation.js';

const { heldBytes, heldRefused } = createInstruments(metrics);

/**
 * A request that holds no more is never refused: it costs hardly more than its connection, there are as many as there are
 * places, and its answer would tell nobody what it has changed.
 */
const smallBytes = 16 * 1024;

/** What one request holds in memory. */
export interface Holding {
  /**
   * Says how many bytes it holds from now on.
   *
   * @throws WeirError `dependency_unavailable` when there is no room for more than it held, and it is not small
   */
  holds(bytes: number): void;
  /** The same for what must be held: the answer to a change, which has happened. */
  mustHold(bytes: number): void;
}

/**
 * The bytes of bodies that were received, and of answers that were not taken yet, in this process. A key may hold half of
 * what the others leave: whatever some keys hold, there is room for the next one.
 */
export class HeldBytes {
  readonly #max: number;
  readonly #byKey = new Map<string, number>();
  #all = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many are held now. */
  get all(): number {
    return this.#all;
  }

  /**
   * Opens what a request holds: nothing yet. It says 0 when it has ended.
   *
   * @param key - whose request it is; those without a key are all of one
   */
  open(key: string): Holding {
    let held = 0;
    const mustHold = (bytes: number): void => {
      this.#change(key, bytes - held);
      held = bytes;
    };
    return {
      mustHold,
      holds: (bytes) => {
        if (bytes > held && bytes > smallBytes) this.#checkRoom(key, bytes - held);
        mustHold(bytes);
      },
    };
  }

  #checkRoom(key: string, more: number): void {
    const own = this.#byKey.get(key) ?? 0;
    const ofOthers = this.#all - own;
    if (own + more <= (this.#max - ofOthers) / 2) return;
    heldRefused.add(1);
    throw unavailable('The gateway holds as much of the requests of this key as it can; send the request again.');
  }

  #change(key: string, by: number): void {
    if (by === 0) return;
    const own = (this.#byKey.get(key) ?? 0) + by;
    this.#all += by;
    if (own > 0) this.#byKey.set(key, own);
    else this.#byKey.delete(key);
  }

  /** Has metrics tell how many are held, until it is disposed. */
  observe(): Disposable {
    return observeGauges([heldBytes], () => heldBytes.set(this.#all));
  }
}

/**
 * How many bytes a gateway may hold: as it is told, but so many at least that any request that is within its own limits is
 * served while there is no other.
 */
export function heldBytesMaxOf(
  operations: readonly Pick<Operation, 'body'>[],
  { heldBytesMax, responseBytesMax }: { readonly heldBytesMax: number; readonly responseBytesMax: number },
): number {
  // a compressed body is held beside what it is decompressed to
  const ofBodies = operations.map(({ body }) => (body === undefined ? 0 : body.bytesMax * (body.gzip ? 2 : 1)));
  // a key is allowed half of all
  return Math.max(heldBytesMax, 2 * Math.max(responseBytesMax, ...ofBodies));
}
