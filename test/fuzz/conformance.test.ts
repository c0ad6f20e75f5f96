import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { reading } from '../harness/points.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

/** Limits that tests of limits are for, not this. */
const unlimited = {
  LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '100000',
  LIMIT_DEVELOPER_REQUESTS_BURST: '100000',
  LIMIT_FAILED_CREDENTIALS_BURST: '100000',
  LIMIT_PUBLIC_REQUESTS_PER_SECOND: '100000',
  LIMIT_PUBLIC_REQUESTS_BURST: '100000',
  // a cursor that is too long, with each character escaped, is to reach the operation
  HEADER_BYTES_MAX: '1000000',
};

/** Makes a record of each family, and answers their ids by the variables of schemathesis.toml. */
async function createRecords(stack: TestStack, tenant: Tenant): Promise<Record<string, string>> {
  const api = apiOf(stack.gatewayUrl, tenant);
  const create = async (path: string, json: object): Promise<ReturnType<typeof JSON.parse>> => {
    const { status, body } = await api.request<{ data: object }>('POST', `/dev-api/v1/p/${tenant.projectId}${path}`, {
      json,
    });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    return body.data;
  };
  const site = await create('/sites', { name: 'Site' });
  const instrument = await create('/instruments', { name: 'Gauge' });
  const ofInstrument = `/instruments/${instrument.id}`;
  const variable = await create(`${ofInstrument}/ingested-variables`, { name: 'level' });
  const constant = await create(`${ofInstrument}/calibration-constants`, {
    name: 'offset',
    values: [{ start_time: '2026-01-01T00:00:00Z', value: 1 }],
  });
  const calculated = await create(`${ofInstrument}/calculated-variables`, {
    name: 'depth',
    calculations: [
      {
        start_time: '2026-01-01T00:00:00Z',
        expression: 'level',
        inputs: [{ kind: 'self_variable', variable_id: variable.id }],
      },
    ],
  });
  const group = await create('/instrument-groups', { name: 'Gauges' });
  const dashboard = await create('/dashboards', {
    name: 'Levels',
    widgets: [
      { type: 'latest_value', layout: { x: 0, y: 0, w: 4, h: 2 }, configuration: { variable_id: variable.id } },
    ],
  });
  const parser = await create('/parsers', {
    name: 'Tables',
    configuration: {
      timestamp: { columns: [{ column_number: 1 }], input_format: 'iso8601' },
      data_layout: {
        layout: 'one_data_point_per_row',
        variable_mappings: [{ source_column: { column_number: 2 }, variable_name: 'level' }],
      },
    },
  });
  const { runs } = await api.ingest([reading('Gauge', 0, 1)]);
  return {
    WEIR_SITE_ID: site.id,
    WEIR_INSTRUMENT_ID: instrument.id,
    WEIR_VARIABLE_ID: variable.id,
    WEIR_CALCULATED_ID: calculated.resource.id,
    WEIR_CONSTANT_ID: constant.resource.id,
    WEIR_GROUP_ID: group.id,
    WEIR_DASHBOARD_ID: dashboard.id,
    WEIR_WIDGET_ID: dashboard.widgets[0].id,
    WEIR_PARSER_ID: parser.id,
    WEIR_RUN_ID: runs[0]?.run_id ?? '',
  };
}

/** Runs the schemathesis that `./dev test fuzz` installs, in a folder of its own. */
async function runSchemathesis(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = process.env['WEIR_SCHEMATHESIS'];
  if (program === undefined) throw new Error('WEIR_SCHEMATHESIS is not set: run this test with ./dev test fuzz');
  const cwd = await mkdtemp(join(tmpdir(), 'weir-fuzz-'));
  try {
    return await new Promise<{ code: unknown; output: string }>((resolve) => {
      const options = {
        cwd,
        env: { ...env, PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
        maxBuffer: 2 ** 28,
      };
      execFile(program, args, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
      );
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}

test('S17: whatever schemathesis makes of the document, answers are as the document says', async () => {
  await using stack = await openTestStack({ envOf: { gateway: { UNDECLARED_ANSWERS: 'fail', ...unlimited } } });
  const tenant = await createTenant(stack.addresses.access);
  const document = `${stack.gatewayUrl}/dev-api/v1/openai.json`;
  const { code, output } = await runSchemathesis(
    ['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', document, '--url', stack.gatewayUrl],
    {
      WEIR_FUZZ_RULES: join(import.meta.dirname, 'rules.py'),
      WEIR_API_KEY: tenant.developerKey,
      WEIR_INGEST_KEY: tenant.ingestionKey,
      WEIR_PROJECT_ID: tenant.projectId,
      ...(await createRecords(stack, tenant)),
    },
  );
  expect(code, output.replaceAll(/^(.{3000}).*$/gm, '$1…')).toBe(0);
});
