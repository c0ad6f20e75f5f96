import type { RunErrorCode } from '@weir/kit/run-codes';

/** What values of a variable may be: any, whole numbers, or 0 and 1. */
export type ValueType = 'decimal' | 'integer' | 'boolean';

/** The series that a channel of points is stored in. */
export interface ResolvedSeries {
  readonly variableKey: number;
  readonly variableId: string;
  readonly instrumentId: string;
  readonly valueType: ValueType;
  readonly generation: number;
}

/** What the names of a channel turned out to be: a series, or the reason why there is none. */
export type Resolution =
  | ({ readonly kind: 'series' } & ResolvedSeries)
  | { readonly kind: 'no_instrument'; readonly code: RunErrorCode }
  | { readonly kind: 'no_variable'; readonly code: RunErrorCode };

/** Whether a number may be a value of a variable of this type. */
export function fitsValueType(value: number, type: ValueType): boolean {
  if (type === 'boolean') return value === 0 || value === 1;
  return type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
}
