import { setFlagsFromString } from 'node:v8';

/**
 * Has all garbage of the process be collected whenever its heap, buffers included, is twice what the last collection
 * left behind. By its own estimate V8 begins one some 24 MB later, 25 times a second where much is passed on, and each
 * walks the whole heap (docs/decisions/0052-a-heap-doubles-before-it-is-collected.md).
 */
export function doubleHeap(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
