import { z } from 'zod';
import { columnReference } from './column-reference.js';
import { missingValueMarkers, name } from './texts.js';

const mappingsMax = 1024;
/** As many as a point may have. */
const variablesPerInstrumentMax = 256;

const valueType = z.enum(['decimal', 'integer', 'boolean']).default('decimal');

const mapping = z.strictObject({
  source_column: columnReference,
  variable_name: name,
  value_type: valueType,
  missing_value_markers: missingValueMarkers.optional().meta({ description: 'Further markers, of this column alone.' }),
  instrument_name: name
    .optional()
    .meta({ description: 'Whose variable it is, where that is not the instrument of the row.' }),
});

const mappings = z
  .array(mapping)
  .min(1)
  .max(mappingsMax)
  .superRefine((all, context) => {
    const namesOf = new Map<string | undefined, Set<string>>();
    for (const [index, { instrument_name, variable_name }] of all.entries()) {
      const names = namesOf.get(instrument_name) ?? new Set();
      namesOf.set(instrument_name, names);
      const fault = (code: string, message: string) =>
        context.addIssue({ code: 'custom', path: [index, 'variable_name'], message, params: { code } });
      if (names.has(variable_name)) fault('duplicate_name', 'A mapping before names this variable already.');
      else if (names.size === variablesPerInstrumentMax)
        fault('out_of_range', `An instrument may have ${variablesPerInstrumentMax} variables in a row.`);
      names.add(variable_name);
    }
  });

/** How values stand in the file. */
export const dataLayout = z.discriminatedUnion('layout', [
  z
    .strictObject({ layout: z.literal('one_data_point_per_row'), variable_mappings: mappings })
    .meta({ title: 'A row is an instant; mappings name the columns with values' }),
  z
    .strictObject({
      layout: z.literal('one_value_per_row'),
      variable_column: columnReference,
      value_column: columnReference,
      value_type: valueType,
    })
    .meta({ title: 'A row is one value of the variable that `variable_column` names' }),
]);
