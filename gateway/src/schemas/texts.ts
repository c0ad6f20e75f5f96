import { reservedWords } from '@weir/expression';
import { shortIdPattern, shortIdRule } from '@weir/kit/ids';
import {
  freeTextCharactersMax,
  nameCharactersMax,
  namePattern,
  normalizeFreeText,
  normalizeName,
} from '@weir/kit/text';
import {
  instantFault,
  isTimezone,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInstant,
} from '@weir/kit/time';
import { z } from 'zod';

/** Texts that bodies carry, with the limits that the services have. */

/** A record's name. */
export const nameText = z
  .string()
  .refine((text) => normalizeName(text) !== undefined, {
    message: `Give a text of 1 to ${nameCharactersMax} characters without control characters.`,
    params: { code: 'invalid_name' },
  })
  .meta({
    minLength: 1,
    maxLength: nameCharactersMax,
    pattern: namePattern,
    description: 'Put into Unicode NFC and trimmed before it is measured; case matters.',
  });

/** A description or another text that means nothing to Weir. */
export const freeText = z
  .string()
  // NUL and half surrogate pairs are told of any body
  .refine((text) => normalizeFreeText(text.replaceAll('\0', ' ').toWellFormed()) !== undefined, {
    message: `Give at most ${freeTextCharactersMax} characters.`,
    params: { code: 'too_long' },
  })
  .meta({ maxLength: freeTextCharactersMax });

const metadataMembersMax = 64;

/** Texts by a client's own keys. */
export const metadata = z
  .record(
    z
      .string()
      .refine((key) => key !== '' && [...key].length <= nameCharactersMax, {
        message: `Give a key of 1 to ${nameCharactersMax} characters.`,
      })
      .meta({ minLength: 1, maxLength: nameCharactersMax }),
    freeText,
  )
  .refine((members) => Object.keys(members).length <= metadataMembersMax, {
    message: `Give at most ${metadataMembersMax} members.`,
    params: { code: 'too_many_members' },
  })
  .meta({ maxProperties: metadataMembersMax, description: 'Texts by keys of your own.' });

/** An IANA time zone. */
export const timezoneText = z
  .string()
  .refine(isTimezone, {
    message: 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.',
    params: { code: 'invalid_timezone' },
  })
  .meta({ description: 'Name of an IANA time zone.', examples: ['Europe/Berlin'] });

/** An instant from which something holds, read as microseconds since 1970 and within the time of observations. */
export const instantInput = z
  .string()
  .transform((text, context) => {
    const us = parseInstant(text);
    if (us !== undefined) return Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);
    context.addIssue({
      code: 'custom',
      message: instantFault(text),
      params: { code: 'invalid_instant' },
    });
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** The id of a record that a body refers to; whether there is one is for the service to tell. */
export const referenceText = z
  .string()
  .refine((text) => /\S/.test(text) && [...text].length <= 128, {
    message: 'Give an id of 1 to 128 characters that is not blank.',
    params: { code: 'invalid_id' },
  })
  .transform((text) => text.toLowerCase())
  .meta({ minLength: 1, maxLength: 128, pattern: '\\S' });

/** The id of a widget, a calculation or an input, which a client may choose. */
export const shortIdText = z
  .string()
  .regex(shortIdPattern, shortIdRule)
  .meta({ description: '21 characters; made by the server when left out.' });

/** The word by which expressions name a variable or a constant. */
export const aliasText = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    'Give a word of 1 to 64 characters, each a letter from A to Z or a to z, a digit or _, and the first no digit.',
  )
  .refine((text) => !reservedWords.has(text), {
    message: 'This is a word of expressions; choose another.',
    params: { code: 'invalid_alias' },
  })
  .meta({
    description:
      'Names it in expressions: unique among the variables and constants of the instrument, and no word of ' +
      'expressions. Derived from the name when left out on creation.',
  });
