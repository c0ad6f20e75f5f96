import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idRandomBytes = 16;
/** Randomness of many ids is drawn together: a call for each costs more than all the rest of making it. */
const pool = new Uint8Array(idRandomBytes * 256);
let used = pool.length;
let msecs = 0;
let seq = 0;

/** A new record id: UUIDv7 in lower-case text, above all that this process made before. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, (used += idRandomBytes));
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // 31 random bits: what is counted up from it within the millisecond does not overflow the 32 of the id
    seq = new DataView(random.buffer, random.byteOffset + 6).getUint32(0) >>> 1;
  } else seq += 1;
  return v7({ random, msecs, seq });
}
