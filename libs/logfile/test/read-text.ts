import { formatInstant } from '@weir/kit/time';
import { configurationOf } from './configuration.js';
import { readWhole } from './read-whole.js';

/** Points as `line instant value…`, errors as `line:column code`. */
export function read(text: string | Uint8Array, changes: Record<string, unknown> = {}, zone?: string) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const whole = readWhole([bytes], configurationOf(changes), { ...(zone && { zone }) });
  return {
    ...whole,
    points: whole.points.map(({ line, atUs, variables }) =>
      [line, formatInstant(atUs).replace(/(:00)?\.000Z/, 'Z'), ...variables.map(({ value }) => value)].join(' '),
    ),
    errors: whole.errors.map(({ line, column, code }) => `${line}${column === null ? '' : `:${column}`} ${code}`),
  };
}
/** A day of January 2025, as it is written in files and in points. */
export const day = (d: number) => `2025-01-0${d}T00:00Z`;
