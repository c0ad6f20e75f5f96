import type { Rows } from '../domain/arrange-rows.js';

/** Types of PostgreSQL by their oid (pg_type.dat). */
const oids = { bigint: 20, double: 701, instant: 1184 } as const;

/** Microseconds from 1970 to 2000, where PostgreSQL begins to count. */
const epochUs = 946_684_800_000_000;
const word = 4_294_967_296;
const epochHigh = Math.floor(epochUs / word);
const epochLow = epochUs - epochHigh * word;

function writeInteger(view: DataView, offset: number, value: number): void {
  const high = Math.floor(value / word);
  view.setInt32(offset, high);
  view.setUint32(offset + 4, value - high * word);
}

/**
 * Writes microseconds since 1970 as PostgreSQL counts them. Word by word: as one number, those since
 * 2000 are no safe integer before 1714, and would lose a microsecond.
 */
export function writeInstant(view: DataView, offset: number, us: number): void {
  const usHigh = Math.floor(us / word);
  const low = us - usHigh * word - epochLow;
  const borrow = low < 0 ? 1 : 0;
  view.setInt32(offset, usHigh - epochHigh - borrow);
  view.setUint32(offset + 4, low + borrow * word);
}

/** A one-dimensional array in PostgreSQL's binary form (array_recv), of elements of eight bytes. */
function encodeArray(
  oid: number,
  numbers: Float64Array,
  write: (view: DataView, offset: number, value: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(20 + numbers.length * 12);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // one dimension, no nulls, the type, so many elements counted from 1
  [1, 0, oid, numbers.length, 1].forEach((header, i) => {
    view.setInt32(i * 4, header);
  });
  let offset = 20;
  for (const number of numbers) {
    view.setInt32(offset, 8);
    write(view, offset + 4, number);
    offset += 12;
  }
  return bytes;
}

/** Whole numbers as a parameter of type `bigint[]`; pg sends a Buffer in binary. */
export function bigintArray(numbers: Float64Array): Buffer {
  return encodeArray(oids.bigint, numbers, writeInteger);
}

/** Instants in microseconds since 1970 as a parameter of type `timestamptz[]`. */
export function instantArray(instantsUs: Float64Array): Buffer {
  return encodeArray(oids.instant, instantsUs, writeInstant);
}

/** Numbers as a parameter of type `double precision[]`. */
export function doubleArray(numbers: Float64Array): Buffer {
  return encodeArray(oids.double, numbers, (view, offset, number) => view.setFloat64(offset, number));
}

/** Reads microseconds since 1970 as PostgreSQL writes them. */
export function readInstant(bytes: Buffer, offset: number): number {
  return (bytes.readInt32BE(offset) + epochHigh) * word + (bytes.readUInt32BE(offset + 4) + epochLow);
}

/** Numbers from the bytes of `int4send`, one after the other. */
export function numbersFromBytes(bytes: Buffer | undefined): Uint32Array {
  const numbers = new Uint32Array((bytes?.length ?? 0) / 4);
  for (let i = 0; i < numbers.length; i++) numbers[i] = bytes?.readUInt32BE(i * 4) as number;
  return numbers;
}

/** Numbers from the bytes of `float8send`, one after the other. */
export function doublesFromBytes(bytes: Buffer): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const doubles = new Float64Array(bytes.length / 8);
  for (let i = 0; i < doubles.length; i++) doubles[i] = view.getFloat64(i * 8);
  return doubles;
}

/** Instants in microseconds since 1970, from the bytes of `timestamptz_send`, one after the other. */
export function instantsFromBytes(bytes: Buffer): Float64Array {
  const instantsUs = new Float64Array(bytes.length / 8);
  for (let i = 0; i < instantsUs.length; i++) {
    instantsUs[i] = readInstant(bytes, i * 8);
  }
  return instantsUs;
}

/** Observations from the bytes of `timestamptz_send` and `float8send` in turn. */
export function observationsFromBytes(bytes: Buffer): { instantsUs: Float64Array; values: Float64Array } {
  const count = bytes.length / 16;
  const instantsUs = new Float64Array(count);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    instantsUs[i] = readInstant(bytes, i * 16);
    values[i] = bytes.readDoubleBE(i * 16 + 8);
  }
  return { instantsUs, values };
}

const copySignature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Number of columns, and four columns of eight bytes with their length. */
const copyRowBytes = 2 + 4 * 12;

/** Rows as the data of `copy … (variable_key, at, value, admitted) from stdin (format binary)`. */
export function copyData(rows: Rows): Buffer {
  const headerBytes = copySignature.length + 8;
  const bytes = Buffer.allocUnsafe(headerBytes + rows.count * copyRowBytes + 2);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  bytes.set(copySignature);
  // no flags, no header extension
  bytes.fill(0, copySignature.length, headerBytes);
  let offset = headerBytes;
  for (let row = 0; row < rows.count; row++) {
    view.setInt16(offset, 4);
    for (const column of [2, 14, 26, 38]) view.setInt32(offset + column, 8);
    writeInteger(view, offset + 6, rows.variableKeys[row] as number);
    writeInstant(view, offset + 18, rows.instantsUs[row] as number);
    view.setFloat64(offset + 30, rows.values[row] as number);
    writeInteger(view, offset + 42, rows.admitted[row] as number);
    offset += copyRowBytes;
  }
  view.setInt16(offset, -1);
  return bytes;
}
