import { nameCharactersMax, namePattern, normalizeFreeText, normalizeName } from '@weir/kit/text';
import { z } from 'zod';

/** The name of an instrument or a variable. */
export const name = z
  .string()
  .refine((text) => normalizeName(text) !== undefined, {
    message: `Give a name of 1 to ${nameCharactersMax} characters, none a control character.`,
    params: { code: 'invalid_name' },
    abort: true,
  })
  .overwrite((text) => normalizeName(text) ?? '')
  .meta({
    minLength: 1,
    maxLength: nameCharactersMax,
    pattern: namePattern,
    description: 'Put into Unicode NFC and trimmed before it is measured.',
  });

function bounded(texts: z.ZodString, min: number, max: number) {
  return texts
    .refine((value) => value.length >= min && normalizeFreeText(value, max) !== undefined, {
      message: `Give ${min === 0 ? 'at most' : `${min} to`} ${max} characters, none of them NUL.`,
      params: { code: 'invalid_text' },
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** A text of `min` to `max` characters, as it came. */
export function text(min: number, max: number) {
  return bounded(z.string(), min, max);
}

/** What cells are compared with: they are trimmed before, so this is as well. */
export function cellText(min: number, max: number) {
  const cell = bounded(z.string().trim(), min, max);
  return min > 0 ? cell.meta({ pattern: '\\S' }) : cell;
}

/** What stands for a missing value. */
export const missingValueMarkers = z
  .array(cellText(0, 256))
  .max(100)
  .meta({ description: 'Cells that are a missing value, compared exactly after trimming; an empty cell always is.' });
