import type { Faults } from '@weir/kit/faults';

/** A finite number within bounds, both included; absent stays absent. */
export function parseNumber(
  value: number | undefined,
  path: string,
  bounds: { readonly min: number; readonly max: number },
  faults: Faults,
): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isFinite(value)) faults.add(path, 'invalid_number', 'Give a finite number.');
  else if (value < bounds.min || value > bounds.max) {
    faults.add(path, 'out_of_range', `Give a number from ${bounds.min} to ${bounds.max}.`);
  }
  // -0 is stored as 0
  return value + 0;
}

/** Any finite number. */
export const anyNumber = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE } as const;
