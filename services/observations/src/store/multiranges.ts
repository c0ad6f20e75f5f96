import type { Ranges } from '../domain/ranges.js';
import { readInstant, writeInstant } from './binary.js';

/** The oid of `tstzmultirange` (pg_type.dat). */
const multirangeOid = 4534;
/** Its length, the flags, and two bounds of eight bytes with their length. */
const rangeBytes = 4 + 1 + 2 * 12;
/** Of a half-open range that has both bounds (rangetypes.h). */
const lowerIsIncluded = 0x02;

function sizeOf({ startsUs }: Ranges): number {
  return 4 + startsUs.length * rangeBytes;
}

/** Writes a multirange in PostgreSQL's binary form (multirange_recv), and tells where it ends. */
function writeRanges(view: DataView, at: number, { startsUs, endsUs }: Ranges): number {
  view.setInt32(at, startsUs.length);
  let offset = at + 4;
  for (let i = 0; i < startsUs.length; i++) {
    view.setInt32(offset, rangeBytes - 4);
    view.setUint8(offset + 4, lowerIsIncluded);
    view.setInt32(offset + 5, 8);
    writeInstant(view, offset + 9, startsUs[i] as number);
    view.setInt32(offset + 17, 8);
    writeInstant(view, offset + 21, endsUs[i] as number);
    offset += rangeBytes;
  }
  return offset;
}

/** Ranges as a parameter of type `tstzmultirange`; pg sends a Buffer in binary. */
export function multirange(ranges: Ranges): Buffer {
  const bytes = Buffer.allocUnsafe(sizeOf(ranges));
  writeRanges(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, ranges);
  return bytes;
}

/** Several of them as a parameter of type `tstzmultirange[]`. */
export function multirangeArray(many: readonly Ranges[]): Buffer {
  const size = many.reduce((sum, ranges) => sum + 4 + sizeOf(ranges), 20);
  const bytes = Buffer.allocUnsafe(size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // one dimension, no nulls, the type, so many elements counted from 1
  [1, 0, multirangeOid, many.length, 1].forEach((header, i) => {
    view.setInt32(i * 4, header);
  });
  let offset = 20;
  for (const ranges of many) {
    view.setInt32(offset, sizeOf(ranges));
    offset = writeRanges(view, offset + 4, ranges);
  }
  return bytes;
}

/** Ranges from the bytes of `multirange_send`; each must be half-open and have both bounds. */
export function rangesFromBytes(bytes: Buffer): Ranges {
  const count = bytes.readInt32BE(0);
  const ranges = { startsUs: new Float64Array(count), endsUs: new Float64Array(count) };
  for (let i = 0, offset = 4; i < count; i++, offset += rangeBytes) {
    if (bytes.readInt32BE(offset) !== rangeBytes - 4 || bytes.readUInt8(offset + 4) !== lowerIsIncluded) {
      throw new RangeError('a range from the database is not half-open, or has no end');
    }
    ranges.startsUs[i] = readInstant(bytes, offset + 9);
    ranges.endsUs[i] = readInstant(bytes, offset + 21);
  }
  return ranges;
}
