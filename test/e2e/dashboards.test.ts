import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

let stack: TestStack;
let tenant: Tenant;
let api: Api;

beforeAll(async () => {
  stack = await openTestStack();
  tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

interface Reply {
  readonly data: ReturnType<typeof JSON.parse>;
  readonly error: { readonly code: string; readonly details: { path: string; code: string; message: string }[] };
}

const call = async (method: string, path: string, json?: unknown, of = tenant) =>
  await (of === tenant ? api : apiOf(stack.gatewayUrl, of)).request<Reply>(
    method,
    `/dev-api/v1/p/${of.projectId}${path}`,
    json === undefined ? {} : { json },
  );

/** What a call that must succeed answers. */
async function done(method: string, path: string, json?: unknown, of = tenant): Promise<Reply['data']> {
  const { status, body } = await call(method, path, json, of);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** A new instrument with a variable. */
async function createVariable(name: string, of = tenant): Promise<{ instrument: string; variable: string }> {
  const { id: instrument } = await done('POST', '/instruments', { name }, of);
  const { id: variable } = await done('POST', `/instruments/${instrument}/ingested-variables`, { name: 'level' }, of);
  return { instrument, variable };
}

const layout = { x: 0, y: 0, w: 12, h: 6 };
const latestOf = (variable_id: string) => ({ type: 'latest_value', layout, configuration: { variable_id } });
const textOf = (markdown: string, more: object = {}) => ({
  type: 'text',
  layout,
  configuration: { markdown },
  ...more,
});

test('of fifty patches of one revision exactly one wins, and the others are told by whom', async () => {
  const { id, revision } = await done('POST', '/dashboards', { name: 'Contested', widgets: [textOf('none')] });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      call('PATCH', `/dashboards/${id}`, { expected_revision: revision, widgets: [textOf(`patch ${index}`)] }),
    ),
  );
  const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
  expect(winners).toHaveLength(1);
  const now = await done('GET', `/dashboards/${id}`);
  expect(now).toMatchObject({
    revision: revision + 1,
    widget_count: 1,
    widgets: [{ configuration: { markdown: `patch ${winners[0]}` } }],
  });
  for (const { body } of answers.filter(({ status }) => status !== 200)) {
    expect(body.error).toMatchObject({
      code: 'revision_conflict',
      details: [{ path: '/expected_revision', code: 'revision_conflict' }],
    });
    const message = body.error.details[0]?.message;
    for (const part of [`revision is ${revision + 1}`, now.updated_at, `developer_api_key ${tenant.developerKeyId}`])
      expect(message).toContain(part);
  }
});

test('widgets of a patch replace the whole set; the same again changes nothing', async () => {
  const created = await done('POST', '/dashboards', { name: 'Replaced', widgets: [textOf('a'), textOf('b')] });
  const [kept] = created.widgets;
  const widgets = [textOf('c'), { ...textOf('a'), id: kept.id }];
  const patched = await done('PATCH', `/dashboards/${created.id}`, { expected_revision: 1, widgets });
  expect(Object.keys(patched)).toEqual(['dashboard', 'widgets']);
  expect(patched.dashboard).toMatchObject({ revision: 2, widget_count: 2, name: 'Replaced' });
  expect(patched.widgets).toMatchObject([{ configuration: { markdown: 'c' } }, { id: kept.id }]);

  const same = await done('PATCH', `/dashboards/${created.id}`, {
    expected_revision: 2,
    widgets: patched.widgets.map((widget: object) => ({ ...widget, dashboard_id: undefined })),
    name: ' Replaced ',
  });
  expect(same.dashboard).toEqual(patched.dashboard);
  for (const body of [{ name: 'Other' }, { expected_revision: 2 }, {}])
    expect((await call('PATCH', `/dashboards/${created.id}`, body)).status).toBe(400);
  expect((await done('GET', `/dashboards/${created.id}`)).widgets).toEqual(patched.widgets);
});

test('what widgets name exists in the project, and is told when it was archived since', async () => {
  const { instrument, variable } = await createVariable('named');
  const stranger = await createTenant(stack.addresses.access);
  const elsewhere = await createVariable('elsewhere', stranger);
  const group = (await done('POST', '/instrument-groups', { name: 'gauges' })).id;
  const widgets = [
    latestOf(variable),
    { type: 'map', layout, configuration: { instrument_ids: [instrument] } },
    { type: 'map', layout, configuration: { group_id: group } },
  ];
  for (const unknown of [elsewhere.variable, '01920000-0000-7000-8000-000000000000', instrument]) {
    const { status, body } = await call('POST', '/dashboards', {
      name: 'Wrong',
      widgets: [...widgets, latestOf(unknown)],
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toMatchObject([{ path: '/widgets/3/configuration/variable_id', code: 'not_found' }]);
  }
  const { id, unavailable_references: none } = await done('POST', '/dashboards', { name: 'Named', widgets });
  expect(none).toEqual([]);

  await done('POST', `/instruments/${instrument}/archive`);
  await done('POST', `/instrument-groups/${group}/archive`);
  const unavailable = [
    { path: '/widgets/0/configuration/variable_id', type: 'variable', id: variable, reason: 'archived' },
    { path: '/widgets/1/configuration/instrument_ids/0', type: 'instrument', id: instrument, reason: 'archived' },
    { path: '/widgets/2/configuration/group_id', type: 'instrument_group', id: group, reason: 'archived' },
  ];
  expect((await done('GET', `/dashboards/${id}`)).unavailable_references).toEqual(unavailable);
  const patched = await done('PATCH', `/dashboards/${id}`, { expected_revision: 1, widgets: [latestOf(variable)] });
  expect(patched.dashboard.revision).toBe(2);
  await done('POST', `/instruments/${instrument}/restore`);
  expect((await done('GET', `/dashboards/${id}`)).unavailable_references).toEqual([]);
});

test('an archived dashboard is hidden with its widgets, refuses changes and comes back', async () => {
  const { id, widgets } = await done('POST', '/dashboards', { name: 'Hidden', widgets: [textOf('a'), textOf('b')] });
  const archived = await done('POST', `/dashboards/${id}/archive`);
  expect(archived).toMatchObject({
    lifecycle_state: 'archived',
    archived_by: { type: 'developer_api_key', id: tenant.developerKeyId },
    widgets,
  });
  expect(await done('POST', `/dashboards/${id}/archive`)).toEqual(archived);
  const paths = [`/dashboards/${id}`, `/dashboards/${id}/widgets`, `/dashboards/${id}/widgets/${widgets[0].id}`];
  for (const path of paths) {
    expect((await call('GET', path)).status, path).toBe(404);
    expect((await call('GET', `${path}?include_archived=true`)).status, path).toBe(200);
  }
  const unknown = latestOf('01920000-0000-7000-8000-000000000000');
  for (const change of [{ name: 'Seen' }, { widgets: [unknown] }]) {
    const patch = await call('PATCH', `/dashboards/${id}`, { expected_revision: archived.revision, ...change });
    expect([patch.status, patch.body.error.code]).toEqual([409, 'lifecycle_conflict']);
  }

  await done('POST', '/dashboards', { name: 'Hidden' });
  const taken = await call('POST', `/dashboards/${id}/restore`);
  expect([taken.status, taken.body.error.code]).toEqual([409, 'name_conflict']);
  const { items } = await done('GET', '/dashboards?q=hIDD');
  expect(items).toHaveLength(1);
  await done('PATCH', `/dashboards/${items[0].id}`, { expected_revision: 1, name: 'Other' });
  expect(await done('POST', `/dashboards/${id}/restore`)).toMatchObject({ lifecycle_state: 'active', widgets });
});

test('dashboards and widgets are listed by pages', async () => {
  const { id, widgets } = await done('POST', '/dashboards', {
    name: 'Paged',
    widgets: Array.from({ length: 7 }, (_, index) => textOf(`${index}`)),
  });
  const readAll = async (path: string) => {
    const items = [];
    let cursor = '';
    do {
      const page = await done('GET', `${path}?limit=3${cursor}`);
      items.push(...page.items);
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    return items;
  };
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect((await readAll(`/dashboards/${id}/widgets`)).sort(byId)).toEqual([...widgets].sort(byId));
  expect(await done('GET', `/dashboards/${id}/widgets/${widgets[4].id}`)).toEqual(widgets[4]);
  const listed = await readAll('/dashboards');
  expect(listed.map((dashboard) => dashboard.id)).toContain(id);
  for (const dashboard of listed) expect(dashboard).not.toHaveProperty('widgets');
});

test('a dashboard of another project is one that does not exist', async () => {
  const stranger = await createTenant(stack.addresses.access);
  const { id, widgets } = await done('POST', '/dashboards', { name: 'Ours', widgets: [textOf('a')] });
  const patch = { expected_revision: 1, name: 'Theirs' };
  const naming = { expected_revision: 1, widgets: [latestOf('01920000-0000-7000-8000-000000000000')] };
  for (const [method, path, json] of [
    ['GET', ''],
    ['GET', '/widgets'],
    ['GET', `/widgets/${widgets[0].id}`],
    ['PATCH', '', patch],
    ['PATCH', '', naming],
    ['POST', '/archive'],
    ['POST', '/restore'],
  ] as const) {
    const answers = [];
    for (const theirs of [id, '01920000-0000-7000-8000-000000000000'])
      answers.push(await call(method, `/dashboards/${theirs}${path}`, json, stranger));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.body.error).toEqual(answers[1]?.body.error);
  }
});
