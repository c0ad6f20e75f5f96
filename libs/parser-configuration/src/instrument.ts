import { z } from 'zod';
import { columnReference } from './column-reference.js';
import { name } from './texts.js';

/** Whose values the rows are. */
export const instrument = z
  .strictObject({
    name_source: z.enum(['base_name', 'column', 'fixed']).default('base_name').meta({
      description: '`base_name`: the name of the file without its extension.',
    }),
    name_column: columnReference.optional().meta({ description: 'Required with, and used with, `column` alone.' }),
    name: name.optional().meta({ description: 'Required with, and used with, `fixed` alone.' }),
    prefix_variable_names: z
      .boolean()
      .default(false)
      .meta({ description: "Puts the instrument's name and a blank before the name of each variable." }),
  })
  .superRefine(({ name_source, name_column, name: fixed }, context) => {
    const demand = (member: string) =>
      context.addIssue({
        code: 'custom',
        path: [member],
        message: `Give ${member}: name_source is ${name_source}.`,
        params: { code: 'required' },
      });
    if (name_source === 'column' && name_column === undefined) demand('name_column');
    if (name_source === 'fixed' && fixed === undefined) demand('name');
  });
