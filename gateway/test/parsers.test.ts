import { newId } from '@weir/kit/ids';
import type { CreateParserRequest, Parser, UpdateParserRequest } from '@weir/proto/parsers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

const configuration = {
  timestamp: { columns: [{ column_number: 1 }], input_format: 'iso8601' },
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: [{ source_column: { header_name: 'Level' }, variable_name: 'level' }],
  },
};
const parser: Parser = {
  id: newId(),
  projectId: newId(),
  name: 'Tables',
  type: 'csv',
  version: 2,
  canonicalSizeBytes: 321,
  configurationJson: '',
  revision: 4,
  createdAtUs: 0,
  updatedAtUs: 0,
  lifecycle: { state: 'active' },
};

const gateway = await startWithFakes();
afterAll(() => gateway[Symbol.asyncDispose]());
const key = gateway.fakes.developerKey(['developer_api.parsers.create', 'developer_api.parsers.update']);
const { answers, asked } = gateway.fakes;
const call = (method: string, path: string, body: unknown) =>
  gateway.call(method, `/dev-api/v1/p/${gateway.fakes.projectId}/parsers${path}`, { key, body });

/** The configuration as it went to the service last. */
function sentConfiguration() {
  const request = asked.at(-1)?.request as Partial<CreateParserRequest & UpdateParserRequest> | undefined;
  return JSON.parse(request?.patch?.configurationJson ?? request?.configurationJson ?? '');
}

beforeEach(async () => {
  asked.length = 0;
  answers.set('createParser', { parser });
  await call('POST', '', { name: 'Tables', configuration });
  const whole = { parser: { ...parser, configurationJson: JSON.stringify(sentConfiguration()) } };
  answers.set('createParser', whole).set('updateParser', whole);
});

test('a new parser goes to the service with all defaults, and comes back with all its members', async () => {
  const answer = await call('POST', '', { name: ' Tables ', type: 'csv', version: 1, configuration });
  expect(asked.at(-1)?.request).toMatchObject({ type: 'csv', version: 1, actor: { type: 'developer_api_key' } });
  expect(sentConfiguration()).toMatchObject({
    timestamp_order: 'oldest_first',
    delimiter: 'comma',
    decimal_separator: 'dot',
    header: { present: true, row_number: 1 },
    first_data_row: 2,
    timestamp: { join_with: ' ' },
    instrument: { name_source: 'base_name', prefix_variable_names: false },
    missing_value_markers: [],
    data_layout: { variable_mappings: [{ value_type: 'decimal' }] },
  });
  expect([answer.status, answer.json.data]).toEqual([
    201,
    {
      id: parser.id,
      project_id: parser.projectId,
      name: 'Tables',
      type: 'csv',
      version: 2,
      canonical_size_bytes: 321,
      configuration: sentConfiguration(),
      revision: 4,
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:00.000Z',
      lifecycle_state: 'active',
      archived_at: null,
      archived_by: null,
    },
  ]);
});

test.each<[string, object, string[]]>([
  ['no configuration', { configuration: undefined }, ['/configuration required']],
  ['another type', { type: 'xlsx' }, ['/type invalid_choice']],
  ['another version', { version: 2 }, ['/version invalid_choice']],
  ['an unknown member', { configuration: { ...configuration, sheet: 1 } }, ['/configuration/sheet unknown_field']],
  [
    'a column that is none',
    { configuration: { ...configuration, timestamp: { columns: [{}], input_format: 'iso8601' } } },
    ['/configuration/timestamp/columns/0 required'],
  ],
  [
    'a format that is none',
    { configuration: { ...configuration, timestamp: { columns: [{ column_number: 1 }], input_format: 'qq' } } },
    ['/configuration/timestamp/input_format invalid_input_format'],
  ],
])('a new parser with %s is 400', async (_, members, faults) => {
  const answer = await call('POST', '', { name: 'Tables', configuration, ...members });
  expect([answer.status, answer.faults]).toEqual([400, faults]);
});

test('an update has what it names alone', async () => {
  expect((await call('PATCH', `/${parser.id}`, { name: 'Hourly' })).status).toBe(200);
  expect(asked.at(-1)?.request).toMatchObject({ parserId: parser.id, patch: { name: 'Hourly' } });
  expect(asked.at(-1)?.request).not.toMatchObject({ patch: { configurationJson: expect.anything() } });
  await call('PATCH', `/${parser.id}`, { expected_revision: 4, configuration: { ...configuration, delimiter: 'tab' } });
  expect(asked.at(-1)?.request).toMatchObject({ expectedRevision: 4 });
  expect(sentConfiguration()).toMatchObject({ delimiter: 'tab', quote: 'double' });
  expect((await call('PATCH', `/${parser.id}`, { version: 3 })).faults).toContain('/version unknown_field');
});

test('a pattern beyond Unicode is told where it stands, wherever there is one', async () => {
  const patterns = { header: { matching: '[a-\\x{110000}]' }, skip_rows_matching: ['^#', '\\x{110000}'] };
  const body = { name: 'Tables', configuration: { ...configuration, ...patterns } };
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', `/${parser.id}`],
  ] as const) {
    const { status, faults } = await call(method, path, body);
    expect([status, [...faults].sort()]).toEqual([
      400,
      ['/configuration/header/matching invalid_pattern', '/configuration/skip_rows_matching/1 invalid_pattern'],
    ]);
  }
});
