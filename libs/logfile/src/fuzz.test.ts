import { type ParserConfiguration, parserConfiguration } from '@weir/parser-configuration';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWhole, type WholeFile } from '../test/read-whole.js';
import { LogfileRefused } from './index.js';

const cell = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '1',
      '-2.5',
      '1e3',
      '',
      ' ',
      '2024-01-01 00:00',
      '2023-10-29 02:30',
      '12:00',
      'A',
      'B',
      'NA',
    ),
  },
  fc.constantFrom(
    '"1"',
    '"a,b"',
    '"a""b"',
    '"',
    '""',
    '"x\ny"',
    "'",
    '\0',
    'ä',
    '\u00a0',
    '\ufeff',
    '+60',
    'x'.repeat(300),
  ),
  fc.string({ maxLength: 6 }),
);
const row = fc
  .tuple(fc.array(cell, { maxLength: 6 }), fc.constantFrom(',', ';', '\t', ' '))
  .map(([cells, by]) => cells.join(by));
const head = fc.constantFrom('time,h,i,z', 'time;h;i;z', '"time",h,i,z', 'time h i z', 'h,h', '#c', '');
const text = fc
  .tuple(head, fc.array(fc.tuple(row, fc.constantFrom('\n', '\r\n', '\r', '')), { maxLength: 14 }))
  .map(([first, rows]) => `${first}\n${rows.map(([line, end]) => line + end).join('')}`);
const bytes = fc.oneof(
  { weight: 6, arbitrary: text.map((given): Uint8Array => Buffer.from(given)) },
  text.map((given): Uint8Array => Buffer.from(given, 'latin1')),
  text.map((given): Uint8Array => Buffer.from(`\ufeff${given}`, 'utf16le')),
  fc.uint8Array({ maxLength: 200 }),
);

const column = fc.oneof(
  fc.constantFrom({ header_name: 'time' }, { header_name: 'h' }, { header_name: 'i' }),
  fc.integer({ min: 1, max: 5 }).map((column_number) => ({ column_number })),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const configuration = fc
  .record({
    timestamp_order: fc.constantFrom('oldest_first', 'newest_first', 'unordered'),
    delimiter: fc.constantFrom('comma', 'semicolon', 'tab', 'whitespace', 'pipe'),
    decimal_separator: fc.constantFrom('dot', 'comma'),
    header: fc.constantFrom({}, { present: false }, { row_number: 2 }, { matching: '^.?time' }),
    first_data_row: optional(fc.integer({ min: 2, max: 4 })),
    timestamp: fc.record({
      columns: fc.array(column, { minLength: 1, maxLength: 2 }),
      input_format: fc.constantFrom(
        'iso8601',
        'unix_s',
        'unix_ns',
        'excel_serial',
        'yyyy-MM-dd HH:mm',
        'd.M.yy[ H]',
        'yyyy D HHmm',
      ),
      timezone: optional(fc.constantFrom('Europe/Berlin', '+01:00')),
      zone_column: optional(column),
      ambiguous: fc.constantFrom('file_order', 'earlier', 'reject'),
      nonexistent: fc.constantFrom('reject', 'shift_forward'),
    }),
    instrument: fc.oneof(
      fc.constant({ prefix_variable_names: true }),
      column.map((name_column) => ({ name_source: 'column', name_column })),
    ),
    missing_value_markers: fc.constantFrom([], ['NA', '-2.5']),
    data_layout: fc.oneof(
      fc
        .tuple(column, column)
        .map(([variable_column, value_column]) => ({ layout: 'one_value_per_row', variable_column, value_column })),
      fc.tuple(column, column, optional(fc.constant('B'))).map(([a, b, instrument_name]) => ({
        layout: 'one_data_point_per_row',
        variable_mappings: [
          { source_column: a, variable_name: 'a' },
          { source_column: b, variable_name: 'b', value_type: 'integer', instrument_name },
        ],
      })),
    ),
    encoding: fc.constantFrom('utf-8', 'utf-16le', 'windows-1252', 'iso-8859-1'),
    quote: fc.constantFrom('double', 'none'),
    comment_prefix: optional(fc.constantFrom('#', 'ä')),
    skip_rows_matching: fc.constantFrom([], ['^A', 'x$'], ['[0-9]{3}']),
  })
  .map((given) => parserConfiguration.safeParse(JSON.parse(JSON.stringify(given))))
  .filter(({ success }) => success)
  .map(({ data }) => data as ParserConfiguration);

/** All that a file gives, as text; how it is refused. */
function outcome(chunks: Iterable<Uint8Array>, given: ParserConfiguration): [string, WholeFile | undefined] {
  try {
    const whole = readWhole(chunks, given, { zone: 'Europe/Berlin', pointsPerBatch: 3 });
    const { points, errors, missing, counts, columns } = whole;
    const batches = whole.batches.map((batch) => [batch.points.count, batch.errors.length, batch.counts, batch.isLast]);
    return [JSON.stringify({ points, errors, missing, counts, columns, batches }), whole];
  } catch (error) {
    if (error instanceof LogfileRefused) return [`${error.code} ${error.message}`, undefined];
    throw error;
  }
}

function* cut(all: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < all.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    yield all.subarray(at, at + size);
    at += size;
  }
}

describe('whatever the bytes and the configuration', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

  test('the same comes of them in any chunks, and nothing breaks', () => {
    fc.assert(
      fc.property(bytes, configuration, sizes, (all, given, chunkSizes) => {
        const [whole, read] = outcome([all], given);
        expect(outcome(cut(all, chunkSizes), given)[0]).toBe(whole);
        if (read === undefined) return;
        const { points, errors, missing, counts, batches } = read;
        expect(counts).toMatchObject({ points: points.length, errors: errors.length, missing: missing.length });
        expect(batches.filter(({ isLast }) => isLast)).toEqual([batches.at(-1)]);
        for (const { points: columns, errors: faults } of batches)
          expect(Math.max(columns.count, faults.length)).toBeLessThanOrEqual(3);
        for (const { raw, message } of errors) expect([raw.length <= 400, message.length > 20]).toEqual([true, true]);
        for (const { variables } of points) {
          expect(variables.length).toBeGreaterThan(0);
          for (const { value } of variables) expect(Number.isFinite(value) && !Object.is(value, -0)).toBe(true);
        }
      }),
      { numRuns: 400, seed: 20240229 },
    );
  }, 60_000);

  test('the work is linear in the bytes', () => {
    // bytes that make the reader look ahead, or look again
    const hostile = fc.constantFrom('"', '"\n', '\n', '\r', 'a,"', ' ', ' "', '""', '"a', ',', '\r\n', '\0', 'é', 'x"');
    const unit = fc.array(hostile, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(unit, fc.constantFrom(1, 7, 4096), configuration, (piece, size, given) => {
        const examined = (times: number): number => {
          const all = Buffer.from(`time,h,i\n${piece.repeat(times)}`);
          return (outcome(cut(all, [size]), given)[1]?.examinedBytes ?? 0) / all.length;
        };
        // a record has at most ten lines, each of which may be the first of one that is tried, line end by line end
        expect(examined(600)).toBeLessThanOrEqual(110);
        expect(examined(600)).toBeLessThanOrEqual(examined(300) * 1.5 + 1);
      }),
      { numRuns: 50, seed: 20240229 },
    );
  }, 60_000);
});
