/** A batch has at most this many runs: the index takes the last ten bits of a run's id. */
export const batchRunsMax = 1024;

const hex3 = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));
const indexMask = batchRunsMax - 1;

/**
 * Makes the public ids of a batch's runs: the batch's UUIDv7, whose last ten bits are zero, with the
 * run's index (0 to 1023) in these bits.
 */
export function runIds(batchId: string): (index: number) => string {
  const prefix = batchId.slice(0, -3);
  const base = Number.parseInt(batchId.slice(-3), 16);
  return (index) => prefix + hex3[base | index];
}

/** The public id of one run of a batch. */
export function runId(batchId: string, index: number): string {
  return runIds(batchId)(index);
}

/** The batch and the index that a run's id (a text that satisfies `isId`) is made of. */
export function parseRunId(id: string): { readonly batchId: string; readonly index: number } {
  const last = Number.parseInt(id.slice(-3), 16);
  return { batchId: id.slice(0, -3) + hex3[last & ~indexMask], index: last & indexMask };
}
