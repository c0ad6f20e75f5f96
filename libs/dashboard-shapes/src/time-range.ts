import {
  formatInstant,
  instantFault,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInstant,
} from '@weir/kit/time';
import { z } from 'zod';

/** Ten years, however many leap days they have. */
const lastSecondsMax = 10 * 366 * 86_400;

const clamp = (us: number): number => Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);

/** An instant as bounds of a range are kept: within the time of observations. */
function boundUs(text: string): number {
  return clamp(parseInstant(text) ?? 0);
}

const bound = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, {
    error: (issue) => instantFault(String(issue.input)),
    params: { code: 'invalid_instant' },
    abort: true,
  })
  .meta({
    format: 'date-time',
    description: 'RFC 3339 with Z or a numeric offset. Before 1700 it means 1700, after 2250 it means 2250.',
  });

const lastSeconds = z
  .strictObject({
    last_seconds: z.int().min(1).max(lastSecondsMax).meta({ description: 'So many seconds up to the present.' }),
  })
  .meta({ title: 'Up to the present' });

const span = z
  .strictObject({ start: bound, end: bound })
  .refine(({ start, end }) => boundUs(start) < boundUs(end), {
    message: 'The start must lie before the end.',
    path: ['start'],
    params: { code: 'invalid_range' },
    abort: true,
  })
  .overwrite(({ start, end }) => ({ start: formatInstant(boundUs(start)), end: formatInstant(boundUs(end)) }))
  .meta({ title: 'From start to end, half-open' });

/** What a dashboard shows of time. Instants are brought to the form in which answers have them. */
export const timeRange = z.union([lastSeconds, span]);
export type TimeRange = z.output<typeof timeRange>;
