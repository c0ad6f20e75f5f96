import { newId } from '@weir/kit/ids';
import { allPermissions } from '@weir/kit/permissions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
beforeAll(async () => {
  gateway = await startWithFakes();
});
afterAll(() => gateway[Symbol.asyncDispose]());

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly format?: string };
}

/** Each query parameter of the document that is an instant, with a path and key that lead to its operation. */
async function instantParameters() {
  const { fakes, call } = gateway;
  const keys: Record<string, string> = {
    developerApiKey: fakes.developerKey(allPermissions),
    ingestApiKey: fakes.connectionKey(),
  };
  const variableId = fakes.variable(newId(), []).id;
  const { json } = await call('GET', '/dev-api/v1/openai.json');
  const operations = Object.entries<Record<string, { parameters?: Parameter[]; security?: Record<string, []>[] }>>(
    json.paths,
  );
  return operations.flatMap(([template, { get }]) => {
    const parameters = get?.parameters ?? [];
    const path = template.replace('{project_id}', fakes.projectId);
    const needed = parameters.some((parameter) => parameter.name === 'variable_id') ? `variable_id=${variableId}&` : '';
    const key = keys[Object.keys(get?.security?.[0] ?? {})[0] ?? ''] ?? '';
    return parameters
      .filter((parameter) => parameter.in === 'query' && parameter.schema.format === 'date-time')
      .map(({ name }) => ({ path: `${path}?${needed}`, name, key }));
  });
}

test('every instant that RFC 3339 can write is a bound, however far away', async () => {
  const parameters = await instantParameters();
  expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['start', 'as_of', 'created_after']));
  for (const instant of ['0000-01-01T00:00:00%2B23:59', '1600-01-01T00:00:00Z', '9999-12-31T23:59:59.999999-23:59']) {
    for (const { path, name, key } of parameters) {
      const { status } = await gateway.call('GET', `${path}${name}=${instant}`, { key });
      expect([path, name, instant, status]).toEqual([path, name, instant, 200]);
    }
  }
});
