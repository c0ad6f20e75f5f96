import { z } from 'zod';

const scale = z
  .strictObject({
    min: z.number().default(0),
    max: z.number().default(100),
    interval: z.number().positive().default(10).meta({ description: 'Distance of the ticks.' }),
    custom: z.boolean().default(false).meta({
      description: 'Whether `min`, `max` and `interval` count; otherwise the scale fits the data.',
    }),
  })
  .refine(({ custom, min, max }) => !custom || min < max, {
    message: 'min must be less than max.',
    params: { code: 'out_of_range' },
  });

/** How a variable is shown; what is left out takes its default. */
export const viewOptions = z
  .strictObject({
    hide: z.boolean().default(false),
    graph: z.strictObject({ scale: scale.prefault({}) }).prefault({}),
  })
  .meta({ description: 'How the variable is shown. Members that are left out take their defaults.' });

/** `view_options` of a variable, filled in. */
export type ViewOptions = z.output<typeof viewOptions>;

/** What a variable shows when nobody said. */
export const defaultViewOptions: ViewOptions = viewOptions.parse({});
