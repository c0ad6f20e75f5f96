import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// V8 does not count buffers when it decides to collect young garbage: where a process makes few objects and many buffers
// they pile up to its limit for external memory (64 MiB), and then all of its garbage is collected, again and again
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** So much is worth a collection of young garbage: a millisecond. */
const youngBytes = 10 * 1024 * 1024;

/** Buffers of the process that a collection of all its garbage left behind. */
let keptBytes = getHeapStatistics().external_memory;

/** Collects the buffers that work with many of them leaves behind, before V8 would. */
export class BufferGarbage {
  readonly #oldBytesMax: number;
  #bytes = 0;

  /** @param oldBytesMax - buffers that were in use at two collections, and no longer, are left to V8 up to this */
  constructor(oldBytesMax = Number.POSITIVE_INFINITY) {
    this.#oldBytesMax = oldBytesMax;
  }

  /** Tells that about so many bytes of buffers are in use no longer. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < youngBytes) return;
    this.#bytes = 0;
    collect({ type: 'minor' });
    const heldBytes = getHeapStatistics().external_memory;
    // what was in use then may be so no longer
    keptBytes = Math.min(keptBytes, heldBytes);
    if (heldBytes - keptBytes < this.#oldBytesMax) return;
    collect({ type: 'major' });
    keptBytes = getHeapStatistics().external_memory;
  }
}
