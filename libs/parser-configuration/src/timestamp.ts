import { z } from 'zod';
import { columnReference } from './column-reference.js';
import { inputFormat } from './input-format.js';
import { cellText, text } from './texts.js';
import { zone } from './zone.js';

const zonesMax = 256;

const zones = z
  .record(cellText(1, 256), zone)
  .refine((byCell) => Object.keys(byCell).length <= zonesMax, {
    message: `Give at most ${zonesMax} members.`,
    params: { code: 'out_of_range' },
  })
  .meta({ maxProperties: zonesMax, description: 'The zone or offset that each cell of `zone_column` means.' });

/** Where the instant of a row stands and how it is read. */
export const timestamp = z
  .strictObject({
    columns: z.array(columnReference).min(1).max(16),
    join_with: text(0, 16).default(' ').meta({ description: 'Stands between the columns when they are read as one.' }),
    input_format: inputFormat,
    timezone: zone
      .optional()
      .meta({ description: "Of times without an offset; else the instrument's site's, else UTC." }),
    zone_column: columnReference.optional().meta({
      description: 'Tells the zone row by row; without `zones` its cells are offsets, in minutes or as ±hh:mm.',
    }),
    zones: zones.optional(),
    ambiguous: z
      .enum(['file_order', 'earlier', 'later', 'reject'])
      .default('file_order')
      .meta({
        description:
          'Which of the two a local time is that occurs twice. `file_order`: the first of a pair is the earlier; with ' +
          '`unordered` it rejects.',
      }),
    nonexistent: z
      .enum(['reject', 'shift_forward'])
      .default('reject')
      .meta({ description: 'What becomes of a local time that the clock skips.' }),
  })
  .refine(({ zones: given, zone_column }) => given === undefined || zone_column !== undefined, {
    message: 'zones tell what the cells of zone_column mean; give zone_column as well.',
    path: ['zone_column'],
    params: { code: 'required' },
  });
