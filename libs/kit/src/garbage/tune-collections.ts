import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect garbage as suits a process that passes bytes on, beside others on few cores. All of it is collected
 * whenever heap and buffers are twice what the last collection left behind: by its own estimate V8 begins one some 24 MB
 * later, 25 times a second where much is passed on, and each walks the whole heap. Young garbage is collected by one
 * thread: a millisecond of work is not worth waking several, which then wait for each other. Nothing is made old from the
 * start because what was made at the same place stayed for long while the process was new: it keeps the whole request that
 * it belongs to (docs/decisions/0052-a-heap-doubles-before-it-is-collected.md and 0057-what-has-ended-is-let-go-of.md).
 */
export function tuneCollections(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
