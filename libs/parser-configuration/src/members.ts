import { z } from 'zod';
import { dataLayout } from './data-layout.js';
import { header, lineMax } from './header.js';
import { instrument } from './instrument.js';
import { linePattern } from './line-pattern.js';
import { missingValueMarkers, text } from './texts.js';
import { timestamp } from './timestamp.js';

/** The members of a configuration, each checked by itself. */
export const members = z.strictObject({
  timestamp_order: z
    .enum(['oldest_first', 'newest_first', 'unordered'])
    .default('oldest_first')
    .meta({ description: 'What to expect; it never drops or refuses a row.' }),
  delimiter: z.enum(['comma', 'semicolon', 'tab', 'pipe', 'whitespace']).default('comma'),
  decimal_separator: z.enum(['dot', 'comma']).default('dot'),
  header: header.prefault({}),
  first_data_row: z.int().min(1).max(lineMax).optional().meta({
    description: 'The line of the first row of data, from 1; by default the one after the header.',
  }),
  timestamp,
  instrument: instrument.prefault({}),
  missing_value_markers: missingValueMarkers.default([]),
  data_layout: dataLayout,
  encoding: z
    .enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'])
    .default('utf-8')
    .meta({ description: 'A byte order mark in the file is stronger.' }),
  quote: z.enum(['double', 'none']).default('double'),
  comment_prefix: text(1, 16).optional().meta({ description: 'Lines that begin with it are skipped.' }),
  skip_rows_matching: z
    .array(linePattern)
    .max(20)
    .default([])
    .meta({ description: 'Lines in which one of them is found are skipped.' }),
});

/** The members of a configuration, before they are checked against each other. */
export type Members = z.output<typeof members>;
