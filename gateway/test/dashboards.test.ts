import { notFound, WeirError } from '@weir/kit/errors';
import { newId, newShortId } from '@weir/kit/ids';
import type {
  CreateDashboardRequest,
  Dashboard,
  ListWidgetsRequest,
  UpdateDashboardRequest,
  Widget,
} from '@weir/proto/dashboards';
import type { FindReferencesRequest } from '@weir/proto/variables';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

const layout = { x: 0, y: 0, w: 6, h: 4 };
const dashboardId = newId();
const [level, flow, gauge, group] = [newId(), newId(), newId(), newId()];
const seriesOf = (...ids: string[]) => ({
  type: 'time_series',
  layout,
  configuration: { series: ids.map((variable_id) => ({ variable_id })) },
});

const dashboard: Dashboard = {
  id: dashboardId,
  projectId: newId(),
  name: 'Weir',
  description: '',
  revision: 3,
  timeRangeJson: '{"last_seconds":60}',
  widgetCount: 2,
  createdAtUs: 0,
  updatedAtUs: 1_000_000,
  lifecycle: { state: 'active' },
};
const saved = (id: string, type: string, configuration: object): Widget => ({
  id,
  dashboardId,
  type,
  title: '',
  layout,
  configurationJson: JSON.stringify(configuration),
});
const chart = saved(newShortId(), 'latest_value', { variable_id: level });
const map = saved(newShortId(), 'map', { group_id: group });

const gateway = await startWithFakes();
afterAll(() => gateway[Symbol.asyncDispose]());
const key = gateway.fakes.developerKey([
  'developer_api.dashboards.list',
  'developer_api.dashboards.create',
  'developer_api.dashboards.read',
  'developer_api.dashboards.update',
  'developer_api.dashboards.archive',
]);
const { answers, asked } = gateway.fakes;
const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/dev-api/v1/p/${gateway.fakes.projectId}/dashboards${path}`, { key, body });
const requestsOf = <T>(method: string) =>
  asked.filter((each) => each.method === method).map(({ request }) => request as T);

beforeEach(() => {
  asked.length = 0;
  const whole = { dashboard, widgets: [chart, map] };
  answers.set('createDashboard', whole).set('getDashboard', whole).set('updateDashboard', whole);
  answers.set('findReferences', {
    variables: [
      { id: level, isArchived: false },
      { id: flow, isArchived: true },
    ],
    instruments: [{ id: gauge, isArchived: false }],
    groups: [{ id: group, isArchived: false }],
  });
});

describe('what widgets name', () => {
  test('must be in the project: 400 with every place, and nothing is saved', async () => {
    const unknown = newId();
    const answer = await call('POST', '', {
      name: 'Weir',
      widgets: [
        seriesOf(level, unknown),
        { type: 'gauge', layout, configuration: { variable_id: unknown, min: 0, max: 1 } },
        { type: 'map', layout, configuration: { instrument_ids: [gauge, unknown] } },
        { type: 'map', layout, configuration: { group_id: unknown } },
        { type: 'table', layout, configuration: { variable_ids: [unknown] } },
      ],
    });
    expect([answer.status, answer.json.error.code, answer.faults]).toEqual([
      400,
      'invalid_request',
      [
        '/widgets/0/configuration/series/1/variable_id not_found',
        '/widgets/1/configuration/variable_id not_found',
        '/widgets/2/configuration/instrument_ids/1 not_found',
        '/widgets/3/configuration/group_id not_found',
        '/widgets/4/configuration/variable_ids/0 not_found',
      ],
    ]);
    expect(requestsOf('createDashboard')).toEqual([]);
  });

  test('is told of a dashboard that may be changed alone: 404 and 409 come before it', async () => {
    const patch = { expected_revision: 3, widgets: [seriesOf(newId())] };
    const known = await call('PATCH', `/${dashboardId}`, patch);
    expect([known.status, known.faults]).toEqual([400, ['/widgets/0/configuration/series/0/variable_id not_found']]);
    const asked = requestsOf<UpdateDashboardRequest>('updateDashboard');
    expect(asked).toMatchObject([{ dashboardId, expectedRevision: 3 }]);
    expect(asked[0]?.patch).toBeUndefined();
    for (const [refused, status] of [
      [notFound('dashboard'), 404],
      [new WeirError('lifecycle_conflict', 'It is archived.'), 409],
      [new WeirError('revision_conflict', 'It was changed.'), 409],
    ] as const) {
      answers.set('updateDashboard', refused);
      const { status: answered, json } = await call('PATCH', `/${dashboardId}`, patch);
      expect([answered, json.error.code]).toEqual([status, refused.code]);
    }
  });

  test('is asked once for all widgets, each id once, and not at all when there is none', async () => {
    expect((await call('POST', '', { name: 'Weir', widgets: [seriesOf(level, flow), seriesOf(level)] })).status).toBe(
      201,
    );
    const [asked] = requestsOf<FindReferencesRequest>('findReferences');
    expect(asked).toMatchObject({ variableIds: [level, flow], instrumentIds: [], groupIds: [] });
    await call('PATCH', `/${dashboardId}`, { expected_revision: 3, widgets: [seriesOf(level)] });
    expect(requestsOf('findReferences')).toHaveLength(2);
    await call('PATCH', `/${dashboardId}`, { expected_revision: 3, name: 'Lock' });
    expect(requestsOf('findReferences')).toHaveLength(2);
  });

  test('and was archived since, or is missing, is told with the dashboard', async () => {
    const two = saved(newShortId(), 'table', { variable_ids: [level, flow] });
    const lost = saved(newShortId(), 'map', { instrument_ids: [group] });
    answers.set('getDashboard', { dashboard, widgets: [two, lost] });
    const { json } = await call('GET', `/${dashboardId}`);
    expect(json.data.unavailable_references).toEqual([
      { path: '/widgets/0/configuration/variable_ids/1', type: 'variable', id: flow, reason: 'archived' },
      { path: '/widgets/1/configuration/instrument_ids/0', type: 'instrument', id: group, reason: 'missing' },
    ]);
  });
});

describe('bodies', () => {
  test('a new dashboard goes to the service with defaults filled in, and comes back whole', async () => {
    const answer = await call('POST', '', { name: ' Weir ', widgets: [{ ...seriesOf(level), id: chart.id }] });
    const [request] = requestsOf<CreateDashboardRequest>('createDashboard');
    expect(request).toMatchObject({ description: '', actor: { type: 'developer_api_key' } });
    expect(request?.timeRangeJson).toBeUndefined();
    expect(JSON.parse(request?.widgets[0]?.configurationJson ?? '')).toEqual({
      series: [{ variable_id: level, aggregation: 'mean', axis: 'left', color: null, style: 'line' }],
    });
    expect(answer.json.data).toMatchObject({
      id: dashboardId,
      revision: 3,
      time_range: { last_seconds: 60 },
      widget_count: 2,
      updated_at: '1970-01-01T00:00:01.000Z',
      lifecycle_state: 'active',
      archived_at: null,
      widgets: [
        { id: chart.id, dashboard_id: dashboardId, type: 'latest_value', configuration: { variable_id: level } },
        { id: map.id },
      ],
      unavailable_references: [],
    });
  });

  test('a patch needs the revision, and something to change', async () => {
    expect((await call('PATCH', `/${dashboardId}`, { name: 'Lock' })).faults).toEqual(['/expected_revision required']);
    expect((await call('PATCH', `/${dashboardId}`, { expected_revision: 3 })).faults).toEqual([' empty_patch']);
    expect((await call('PATCH', `/${dashboardId}`, {})).status).toBe(400);
    expect(requestsOf('updateDashboard')).toEqual([]);
  });

  test('a patch has what it names alone; null clears the range; widgets are the whole set', async () => {
    const answer = await call('PATCH', `/${dashboardId}`, { expected_revision: 3, time_range: null, widgets: [] });
    expect(requestsOf<UpdateDashboardRequest>('updateDashboard')).toMatchObject([
      { dashboardId, expectedRevision: 3, patch: { cleared: ['time_range'], widgets: { items: [] } } },
    ]);
    expect(requestsOf<UpdateDashboardRequest>('updateDashboard')[0]?.patch).not.toHaveProperty(
      'name',
      expect.anything(),
    );
    expect(Object.keys(answer.json.data)).toEqual(['dashboard', 'widgets']);
    expect(answer.json.data.dashboard).not.toHaveProperty('widgets');
    expect(answer.json.data.widgets).toHaveLength(2);
  });

  test.each<[string, object, string]>([
    ['a type that there is not', { type: 'clock', layout, configuration: {} }, '/widgets/0/type'],
    ['no series', seriesOf(), '/widgets/0/configuration/series'],
    ['a place off the grid', { ...seriesOf(level), layout: { ...layout, x: 20 } }, '/widgets/0/layout/w'],
    ['an id of another form', { ...seriesOf(level), id: 'short' }, '/widgets/0/id'],
    ['the configuration of another type', { ...seriesOf(level), type: 'text' }, '/widgets/0/configuration/markdown'],
  ])('a widget with %s is 400', async (_, widget, path) => {
    const answer = await call('POST', '', { name: 'Weir', widgets: [widget] });
    expect(answer.status).toBe(400);
    expect(answer.faults.map((fault) => fault.split(' ')[0])).toContain(path);
  });
});

describe('widgets', () => {
  test('are listed by pages, with a cursor for this dashboard alone', async () => {
    answers.set('listWidgets', { widgets: [chart], nextAfter: chart.id });
    const first = await call('GET', `/${dashboardId}/widgets?limit=1`);
    expect(first.json.data.items).toMatchObject([{ id: chart.id, dashboard_id: dashboardId }]);
    const cursor = `cursor=${first.json.data.next_cursor}`;
    answers.set('listWidgets', { widgets: [map], nextAfter: '' });
    expect((await call('GET', `/${dashboardId}/widgets?limit=2&${cursor}`)).json.data.next_cursor).toBeNull();
    expect(requestsOf<ListWidgetsRequest>('listWidgets')).toMatchObject([
      { after: '', limit: 1 },
      { after: chart.id, limit: 2, includeArchived: false },
    ]);
    for (const path of [`/${newId()}/widgets?${cursor}`, `/${dashboardId}/widgets?include_archived=true&${cursor}`])
      expect((await call('GET', path)).json.error.code).toBe('invalid_cursor');
    expect((await call('GET', `/${dashboardId}/widgets?q=a`)).faults).toEqual(['query/q unknown_query_parameter']);
  });

  test('are read by ids of 21 characters', async () => {
    answers.set('getWidget', { widget: map });
    expect((await call('GET', `/${dashboardId}/widgets/${map.id}`)).json.data).toMatchObject({
      id: map.id,
      configuration: { group_id: group },
    });
    for (const id of [map.id.slice(1), `${map.id}a`, `${map.id.slice(1)}.`])
      expect((await call('GET', `/${dashboardId}/widgets/${id}`)).status).toBe(400);
  });
});
