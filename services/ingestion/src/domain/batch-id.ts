import { newId, parseRunId } from '@weir/kit/ids';

/** A new batch id: a UUIDv7 whose last ten bits are zero. */
export function newBatchId(): string {
  return parseRunId(newId()).batchId;
}

/** When a batch was admitted, by its id or a run's: microseconds since 1970, to the millisecond. */
export function admittedAtUs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000;
}

const msMax = 2 ** 48 - 1;

/** The least id that a batch admitted at or after an instant may have. */
export function leastBatchId(us: number): string {
  const ms = Math.min(Math.max(Math.ceil(us / 1000), 0), msMax);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Above every id. */
export const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
