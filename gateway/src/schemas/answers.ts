import { z } from 'zod';

/** An instant as answers write it. */
export const instantText = z.string().meta({
  format: 'date-time',
  description: 'RFC 3339 in UTC with Z; three fractional digits, or six where the microseconds say something.',
  example: '2026-01-31T12:00:00.000Z',
});

/** A record's id. */
export const idText = z.uuid().meta({ description: 'UUID in lower case.' });

/** The data of a list: its items and where it goes on. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Opaque; as `cursor` it fetches the next page. Null when there is none.' }),
  });
}
