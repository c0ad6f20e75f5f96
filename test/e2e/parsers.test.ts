import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

let stack: TestStack;
let tenant: Tenant;

beforeAll(async () => {
  stack = await openTestStack();
  tenant = await createTenant(stack.addresses.access);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const call = async (method: string, path: string, json?: unknown) => {
  const { status, body } = await apiOf(stack.gatewayUrl, tenant).request<ReturnType<typeof JSON.parse>>(
    method,
    `/dev-api/v1/p/${tenant.projectId}/parsers${path}`,
    json === undefined ? {} : { json },
  );
  return { status, data: body.data, error: body.error };
};

/** A configuration with its usual members. */
const configuration = {
  timestamp_order: 'oldest_first',
  delimiter: 'comma',
  decimal_separator: 'dot',
  header: { present: true, row_number: 2 },
  first_data_row: 5,
  timestamp: { columns: [{ header_name: 'TIMESTAMP', column_number: 1 }], join_with: ' ', input_format: 'iso8601' },
  instrument: { name_source: 'base_name', prefix_variable_names: false },
  missing_value_markers: ['NAN'],
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: [{ source_column: { header_name: 'Lvl_Avg' }, variable_name: 'Level', value_type: 'decimal' }],
  },
};

/** RFC 8785 of a value whose texts and numbers are plain. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

test('a parser is answered whole; its version rises with its configuration alone', async () => {
  const created = await call('POST', '', { name: 'Tables', type: 'csv', version: 1, configuration });
  expect(created).toMatchObject({
    status: 201,
    data: {
      project_id: tenant.projectId,
      name: 'Tables',
      type: 'csv',
      version: 1,
      revision: 1,
      lifecycle_state: 'active',
      configuration: { ...configuration, encoding: 'utf-8', quote: 'double' },
    },
  });
  const { id } = created.data;
  const sizeOf = (parser: { configuration: unknown }) => Buffer.byteLength(canonicalJson(parser.configuration));
  expect(created.data.canonical_size_bytes).toBe(sizeOf(created.data));

  const renamed = await call('PATCH', `/${id}`, { name: 'Hourly tables', expected_revision: 1 });
  expect(renamed.data).toMatchObject({ version: 1, revision: 2 });
  const same = await call('PATCH', `/${id}`, { configuration });
  expect(same.data).toEqual(renamed.data);
  const changed = await call('PATCH', `/${id}`, { configuration: { ...configuration, delimiter: 'semicolon' } });
  expect(changed.data).toMatchObject({ version: 2, revision: 3, configuration: { delimiter: 'semicolon' } });
  expect(changed.data.canonical_size_bytes).toBe(sizeOf(changed.data));
  expect((await call('PATCH', `/${id}`, { name: 'x', expected_revision: 1 })).error.code).toBe('revision_conflict');
  expect((await call('GET', `/${id}`)).data).toEqual(changed.data);
});

test('an archived parser is hidden, refuses changes and comes back', async () => {
  const { data } = await call('POST', '', { name: 'Old', configuration });
  const archived = await call('POST', `/${data.id}/archive`);
  expect(archived.data).toMatchObject({ lifecycle_state: 'archived', archived_by: { id: tenant.developerKeyId } });
  expect((await call('GET', `/${data.id}`)).status).toBe(404);
  expect((await call('GET', '?q=OLD')).data.items).toEqual([]);
  expect((await call('GET', '?q=OLD&include_archived=true')).data.items).toEqual([archived.data]);
  expect((await call('PATCH', `/${data.id}`, { name: 'New' })).error.code).toBe('lifecycle_conflict');
  expect((await call('POST', `/${data.id}/restore`)).data).toMatchObject({ lifecycle_state: 'active', version: 1 });
  expect((await call('POST', '', { name: 'Old', configuration })).error).toMatchObject({
    code: 'name_conflict',
    details: [{ path: '/name' }],
  });
});
