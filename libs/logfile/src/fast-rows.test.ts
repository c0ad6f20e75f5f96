import { parserConfiguration } from '@weir/parser-configuration';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configurationOf } from '../test/configuration.js';
import { inChunks, readWhole } from '../test/read-whole.js';

const times = {
  'yyyy-MM-dd HH:mm:ss': [
    '2024-03-31 02:30:00',
    '2024-10-27 02:30:00',
    '2024-02-30 00:00:00',
    '2024-01-01  00:00:00',
    '2024-01-01\t00:00:00',
    '2024-01-01;00:00:00',
    '2024-01-01,00:00:00',
    '2024-01-01 23:59:60',
    '"2024-01-01 12:00:00x',
  ],
  'yy,MM,dd': ['24,01,02', '"24,01,02"'],
  yyyy年MM月dd日: ['2024年01月02日'],
  'M/d/yyyy H:mm': ['1/2/2024 3:04', '12/31/2024 24:00', '1/2/2024 3:04 '],
  iso8601: ['2024-01-01T00:00Z', '2024-01-01 00:00', '2024-01-01T00:00:00+0100'],
  unix_s: ['1700000000', '1700000000.5', '-1', '1700000000,5'],
  excel_serial: ['45000.5', '45000,5', '59'],
} as const;
const number = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('1', '-2.5', '0.125', '12345678901234.5', '-9999', '7', '2,5', '.5', '5.', '-.5'),
  },
  fc.constantFrom(
    '',
    ' ',
    ' 1',
    '1 ',
    '"1"',
    '+1',
    '-',
    '.',
    '-0',
    '1e3',
    '1234567890123456789',
    '-9999.0',
    'NA',
    'x',
    '"',
    'ä',
    '\0',
    '1"',
    '\u00a01',
  ),
);
const given = fc.record({
  delimiter: fc.constantFrom('comma', 'semicolon', 'tab'),
  decimal_separator: fc.constantFrom('dot', 'comma'),
  hasHeader: fc.boolean(),
  input_format: fc.constantFrom(...(Object.keys(times) as (keyof typeof times)[])),
  timezone: fc.constantFrom('Europe/Berlin', '+01:00', undefined),
  quote: fc.constantFrom('double', 'none'),
  encoding: fc.constantFrom('utf-8', 'windows-1252'),
  value_type: fc.constantFrom('decimal', 'integer'),
  timestamp_order: fc.constantFrom('oldest_first', 'unordered'),
  comment_prefix: fc.constantFrom(undefined, '2'),
});

test('plain rows read in one pass are read as all the others', () => {
  const row = fc.tuple(
    fc.nat(9),
    fc.boolean(),
    number,
    number,
    number,
    fc.constantFrom('\n', '\n', '\r\n', '\r', ',\n', ',9\n', ''),
  );
  fc.assert(
    fc.property(
      given,
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 60 }),
      (options, rows, size) => {
        const { delimiter, hasHeader, input_format, timezone, value_type, ...rest } = options;
        const by = { comma: ',', semicolon: ';', tab: '\t' }[delimiter];
        const spelled = times[input_format];
        const lines = rows.map(([pick, isQuoted, a, b, c, end]) => {
          const time = spelled[pick % spelled.length] as string;
          return [a, isQuoted ? `"${time}"` : time, b, c].join(by) + end.replaceAll(',', by);
        });
        const text = `${hasHeader ? ['a', 'time', 'b', 'c'].join(by) : 'none'}\n${lines.join('')}`;
        const mapping = (column_number: number, variable_name: string) => ({
          source_column: { column_number },
          variable_name,
          value_type,
        });
        const read = (mappings: readonly object[], chunk: number) => {
          const configuration = parserConfiguration.safeParse(
            JSON.parse(
              JSON.stringify({
                ...rest,
                delimiter,
                header: { present: hasHeader },
                timestamp: { columns: [{ column_number: 2 }], input_format, timezone },
                missing_value_markers: ['-9999', 'NA', '7'],
                instrument: { name_source: 'fixed', name: 'X' },
                data_layout: { layout: 'one_data_point_per_row', variable_mappings: mappings },
              }),
            ),
          );
          if (!configuration.success) return undefined;
          const { points, errors, missing, counts } = readWhole(
            inChunks(Buffer.from(text), chunk),
            configuration.data,
            {
              zone: 'Europe/Berlin',
              pointsPerBatch: 3,
            },
          );
          const isOurs = (name: string): boolean => name !== 'again';
          return {
            points: points.map((point) => ({
              ...point,
              variables: point.variables.filter(({ name }) => isOurs(name)),
            })),
            errors,
            missing: missing.filter(({ variable }) => isOurs(variable)),
            counts: { ...counts, missing: 0 },
          };
        };
        const plain = [mapping(1, 'a'), mapping(3, 'b')];
        // a column that two mappings read keeps the configuration from the fast path
        expect(read(plain, 1_000_000)).toEqual(read([...plain, mapping(1, 'again')], size));
      },
    ),
    { numRuns: 500, seed: 20240229 },
  );
}, 60_000);

test('cells of date and time are no timestamp, though a tab between them would be a blank', () => {
  const configuration = configurationOf({ delimiter: 'tab', timestamp: { input_format: 'yyyy-MM-dd HH:mm' } });
  const text = 'time\th\n2024-01-01\t10:00\t5\n"2024-01-01\t11:00"\t6\n2024-01-01 12:00\t7\n';
  const { points, errors } = readWhole([Buffer.from(text)], configuration);
  expect(points.map(({ line }) => line)).toEqual([3, 4]);
  expect(errors.map(({ line, code }) => [line, code])).toEqual([[2, 'too_many_cells']]);
});
