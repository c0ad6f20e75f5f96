import type { Definition } from './definition.js';

/** Whole numbers end here: all greater ones are whole. */
const fractionEnd = 2 ** 52;

/** Half away from zero. */
function roundHalf(value: number): number {
  const size = Math.abs(value);
  if (size >= fractionEnd) return value;
  const whole = Math.floor(size);
  return Math.sign(value) * (size - whole >= 0.5 ? whole + 1 : whole) + 0;
}

/**
 * Brings results to the type of their variable: integers are rounded, halves away from zero; any number but 0 is the
 * boolean 1. NaN, which is no value, stays. There is one zero.
 */
export function toValueType(values: Float64Array, valueType: Definition['valueType']): Float64Array {
  switch (valueType) {
    case 'decimal':
      return values;
    case 'integer':
      return values.map(roundHalf);
    case 'boolean':
      return values.map((value) => (value === value ? Number(value !== 0) : value));
  }
}
