const msMax = 2 ** 48 - 1;

/** When a UUIDv7 was made: microseconds since 1970, to the millisecond. */
export function idTimeUs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000;
}

/** The least UUID that may have been made at or after an instant in microseconds since 1970. */
export function leastIdAt(us: number): string {
  const ms = Math.min(Math.max(Math.ceil(us / 1000), 0), msMax);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Above every UUID. */
export const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
