import { type ParserConfiguration, parserConfiguration, savedConfiguration } from '@weir/parser-configuration';
import type { Parser, ParserPatch } from '@weir/proto/parsers';
import { z } from 'zod';
import type { Patch } from './patches.js';
import { recordExample, recordSchema, toRecordJson } from './records.js';
import { nameText } from './texts.js';

/** What a client changes of a parser. */
export const parserMembers = { name: nameText, configuration: parserConfiguration };

/** What a client says of a new parser. */
export const newParser = z.strictObject({
  name: nameText,
  type: z.literal('csv').default('csv'),
  version: z.literal(1).optional().meta({ description: 'A new parser has version 1, given or not.' }),
  configuration: parserConfiguration,
});

const schema = recordSchema('Parser', {
  name: z.string(),
  type: z.literal('csv'),
  version: z.int().min(1).meta({ description: 'Rises with every change of the configuration.' }),
  canonical_size_bytes: z
    .int()
    .min(1)
    .meta({ description: 'Length of the configuration as RFC 8785 canonical JSON, in bytes of UTF-8.' }),
  configuration: savedConfiguration,
});

/** What creates a parser, for the document. */
export const newParserExample: z.input<typeof newParser> = {
  name: 'Hourly tables',
  type: 'csv',
  version: 1,
  configuration: {
    header: { present: true, row_number: 2 },
    first_data_row: 5,
    timestamp: { columns: [{ header_name: 'TIMESTAMP' }], join_with: ' ', input_format: 'yyyy-MM-dd HH:mm:ss' },
    instrument: { name_source: 'base_name', prefix_variable_names: false },
    missing_value_markers: ['NAN'],
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [
        { source_column: { header_name: 'BattV_Min' }, variable_name: 'Battery', value_type: 'decimal' },
      ],
    },
  },
};

const example: z.output<typeof schema> = recordExample('019c13a6-9000-7000-8000-8fbf82e27700', {
  name: newParserExample.name,
  type: 'csv' as const,
  version: 1,
  canonical_size_bytes: 625,
  configuration: parserConfiguration.parse(newParserExample.configuration),
});

/** A parser in answers. */
export const parserShape = { schema, example };

/** The service keeps configurations as the shared schema reads them, so what it tells is one. */
export function toParserJson(parser: Parser): z.output<typeof schema> {
  return toRecordJson(parser, {
    name: parser.name,
    type: parser.type as 'csv',
    version: parser.version,
    canonical_size_bytes: parser.canonicalSizeBytes,
    configuration: JSON.parse(parser.configurationJson) as ParserConfiguration,
  });
}

/** A new parser as the service takes it. */
export function fromNewParser({ name, type, version, configuration }: z.output<typeof newParser>) {
  return { name, type, version, configurationJson: JSON.stringify(configuration) };
}

/** Changes of a parser as the service takes them. */
export function fromParserPatch({ given }: Patch<typeof parserMembers>): ParserPatch {
  const { name, configuration } = given;
  return { name, configurationJson: configuration && JSON.stringify(configuration) };
}
