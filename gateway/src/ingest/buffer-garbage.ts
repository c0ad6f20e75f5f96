import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// reading makes few objects and many buffers, which V8 does not count when it decides to collect young garbage:
// they pile up to its limit for external memory, some 90 MiB of a gateway's resident memory (measured)
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** So much of a file leaves some ten mebibytes of buffers behind. */
const collectedBytes = 2 * 1024 * 1024;
/** Buffers that were in use at two collections have grown old; so much of them is collected, half of what V8 would wait for. */
const oldBytesMax = 32 * 1024 * 1024;

/** Buffers of the process that a collection of all its garbage left behind. */
let keptBytes = getHeapStatistics().external_memory;

/** Collects the buffers that reading a file leaves behind: a millisecond of work for each two mebibytes that were read. */
export class BufferGarbage {
  #bytes = 0;

  /** Tells how much was read. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collectedBytes) return;
    this.#bytes = 0;
    collect({ type: 'minor' });
    if (getHeapStatistics().external_memory - keptBytes < oldBytesMax) return;
    collect({ type: 'major' });
    keptBytes = getHeapStatistics().external_memory;
  }
}
