import { isTimezone } from '@weir/kit/time';
import { z } from 'zod';

const offset = /^[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00)$/;

/** A time zone of the IANA database, or a fixed offset. */
export const zone = z
  .string()
  .refine((text) => offset.test(text) || isTimezone(text), {
    message: 'Give the name of an IANA time zone, such as Europe/Berlin, or an offset, such as +01:00.',
    params: { code: 'invalid_timezone' },
  })
  .meta({ description: 'An IANA time zone or a fixed offset.', examples: ['Europe/Berlin', '-07:00'] });
