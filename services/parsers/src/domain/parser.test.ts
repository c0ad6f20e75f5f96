import { WeirError } from '@weir/kit/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCanonicalJson } from './canonical-json.js';
import { applyUpdate, type Parser, parseNewParser, parseParserUpdate } from './parser.js';

const actor = { type: 'user', id: 'ada' };
const bytesMax = 10_000;

function configuration(changes: object = {}): string {
  return JSON.stringify({
    timestamp: { columns: [{ column_number: 1 }], input_format: 'unix_s' },
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: { column_number: 2 }, variable_name: 'ä€🌊' }],
    },
    ...changes,
  });
}

const input = { name: 'A', type: 'csv', configurationJson: configuration(), actor };

function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('a new parser', () => {
  test('has version 1, its configuration filled in, and the size of that', () => {
    const created = parseNewParser({ ...input, type: '', version: 1 }, bytesMax);
    expect(created).toMatchObject({ name: 'A', type: 'csv', version: 1, actor });
    expect(created.configuration).toMatchObject({ encoding: 'utf-8', header: { present: true, row_number: 1 } });
    // RFC 8785: members sorted, no blanks, as UTF-8
    const canonical =
      '{"data_layout":{"layout":"one_data_point_per_row","variable_mappings":[{"source_column":{"column_number":2},' +
      '"value_type":"decimal","variable_name":"ä€🌊"}]},"decimal_separator":"dot","delimiter":"comma",' +
      '"encoding":"utf-8","first_data_row":2,"header":{"present":true,"row_number":1},"instrument":{"name_source":' +
      '"base_name","prefix_variable_names":false},"missing_value_markers":[],"quote":"double",' +
      '"skip_rows_matching":[],"timestamp":{"ambiguous":"file_order","columns":[{"column_number":1}],' +
      '"input_format":"unix_s","join_with":" ","nonexistent":"reject"},"timestamp_order":"oldest_first"}';
    expect(toCanonicalJson(created.configuration)).toBe(canonical);
    expect(created.canonicalSizeBytes).toBe(new TextEncoder().encode(canonical).length);
  });

  test('tells every fault at once', () => {
    const wrong = {
      name: ' ',
      type: 'xml',
      version: 2,
      configurationJson: configuration({ delimiter: ',', timestamp: { columns: [] } }),
    };
    expect(faultsOf(() => parseNewParser(wrong, bytesMax))).toEqual([
      '/name invalid_name',
      '/type invalid_choice',
      '/version out_of_range',
      '/configuration/delimiter invalid_choice',
      '/configuration/timestamp/columns out_of_range',
      '/configuration/timestamp/input_format required',
      '/actor invalid_actor',
    ]);
  });

  test.each([
    ['', '/configuration invalid_json'],
    ['null', '/configuration invalid_type'],
    [
      configuration({ missing_value_markers: Array.from({ length: 100 }, () => 'x'.repeat(256)) }),
      '/configuration too_large',
    ],
  ])('refuses the configuration %.20s', (configurationJson, fault) => {
    expect(faultsOf(() => parseNewParser({ ...input, configurationJson }, bytesMax))).toEqual([fault]);
  });
});

describe('an update', () => {
  const parser: Parser = {
    id: 'id',
    projectId: 'project',
    revision: 4,
    createdAtUs: 0,
    updatedAtUs: 0,
    updatedBy: actor,
    ...parseNewParser(input, bytesMax),
    version: 3,
  };
  const update = (patch: object) => applyUpdate(parser, parseParserUpdate({ patch, actor }, bytesMax).change);

  test('of the configuration raises the version', () => {
    const changed = update({ configurationJson: configuration({ encoding: 'utf-16le', quote: 'none' }) });
    expect(changed).toMatchObject({ version: 4, name: 'A', configuration: { encoding: 'utf-16le' } });
    expect(changed?.canonicalSizeBytes).toBe(parser.canonicalSizeBytes + 1);
  });

  test('of the name alone does not', () => {
    expect(update({ name: 'B' })).toEqual({ ...parser, name: 'B' });
    expect(update({ name: 'B', configurationJson: configuration({ quote: 'double' }) })).toEqual({
      ...parser,
      name: 'B',
    });
  });

  test('that changes nothing is told, in whatever order and form it comes', () => {
    expect(update({})).toBeUndefined();
    const { configuration: saved } = parser;
    const members = Object.entries(saved);
    fc.assert(
      fc.property(fc.shuffledSubarray(members, { minLength: members.length }), (shuffled) => {
        const patch = { name: ' A', configurationJson: JSON.stringify(Object.fromEntries(shuffled), undefined, 2) };
        expect(update(patch)).toBeUndefined();
      }),
    );
  });

  test('tells every fault at once', () => {
    const wrong = { patch: { name: '', configurationJson: '{}' } };
    expect(faultsOf(() => parseParserUpdate(wrong, bytesMax))).toEqual([
      '/name invalid_name',
      '/configuration/timestamp required',
      '/configuration/data_layout required',
      '/actor invalid_actor',
    ]);
  });
});
