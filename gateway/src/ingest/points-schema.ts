import { nameCharactersMax, namePattern, normalizeName } from '@weir/kit/text';
import { parseInstant } from '@weir/kit/time';
import { z } from 'zod';
import { variablesMax } from './read-points.js';
import { nameRule, readSiteId, siteIdCharactersMax, siteIdRule } from './texts.js';

const name = (description: string) =>
  z
    .string()
    .refine((text) => normalizeName(text) !== undefined, nameRule)
    .meta({
      minLength: 1,
      maxLength: nameCharactersMax,
      pattern: namePattern,
      description: `${description} Put into Unicode NFC and trimmed before it is measured.`,
    });

const variable = z.strictObject({
  name: name('Name of an ingested variable of the instrument; unique within the point.'),
  value: z.number().meta({ description: 'A finite number; -0 is stored as 0.' }),
});

function areNamesUnique(variables: readonly { readonly name: string }[]): boolean {
  const names = variables.map((each) => normalizeName(each.name)).filter((each) => each !== undefined);
  return new Set(names).size === names.length;
}

const point = z
  .strictObject({
    instrument_timestamp: z
      .string()
      .refine((text) => parseInstant(text) !== undefined, 'Give an RFC 3339 date-time with Z or an offset.')
      .meta({
        format: 'date-time',
        description:
          'Time of the reading: RFC 3339 with Z or a numeric offset, kept to the microsecond. A run whose point lies before 1700, after 2250 or too far in the future fails.',
      }),
    instrument_name: name('Name of the instrument within its site, or within the project when no site is given.'),
    site_id: z
      .string()
      .refine((text) => readSiteId(text) !== undefined, siteIdRule)
      .optional()
      .meta({
        minLength: 1,
        maxLength: siteIdCharactersMax,
        pattern: '\\S',
        description: 'Id of the site that the instrument is at.',
      }),
    ingested_variables: z
      .array(variable)
      .min(1)
      .max(variablesMax)
      .refine(areNamesUnique, 'Names are unique within a point.'),
  })
  .meta({ description: 'One reading: an instant, an instrument and values.' });

/**
 * The body of an ingest request, as the document shows it. Requests are read by `readPoints`, which
 * accepts exactly what this accepts.
 */
export function pointsSchema(pointsMax: number) {
  return z.strictObject({ data: z.array(point).min(1).max(pointsMax) });
}
