import { randomUUID } from 'node:crypto';
import { openPool, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create, startTestDashboards, type TestDashboards, textWidget, widgetId } from './test-dashboards.js';

let service: TestDashboards;
beforeAll(async () => {
  service = await startTestDashboards({ WIDGETS_PER_DASHBOARD_MAX: '5' });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('create and get', () => {
  test('a dashboard with everything', async () => {
    const { client } = service;
    const projectId = newProject();
    const variableId = randomUUID();
    const series = { variable_id: variableId.toUpperCase(), color: '#00ff00' };
    const { dashboard, widgets } = await create(client, projectId, ' Cafe\u0301 ', {
      description: 'line one\nline two',
      timeRangeJson: '{"start":"2026-01-31T12:00:00+01:00","end":"2026-02-01T00:00:00.000001Z"}',
      widgets: [
        {
          type: 'time_series',
          title: ' Level ',
          layout: { x: 12, y: 3, w: 12, h: 4 },
          configurationJson: JSON.stringify({ series: [series] }),
        },
        textWidget('# hello', widgetId('b')),
        textWidget('', widgetId('a')),
      ],
    });
    expect(dashboard).toMatchObject({
      projectId,
      name: 'Café',
      description: 'line one\nline two',
      revision: 1,
      timeRangeJson: '{"start":"2026-01-31T11:00:00.000Z","end":"2026-02-01T00:00:00.000001Z"}',
      widgetCount: 3,
      lifecycle: { state: 'active', archivedAtUs: undefined, archivedBy: undefined },
    });
    expect(dashboard.updatedAtUs).toBe(dashboard.createdAtUs);
    expect(widgets).toMatchObject([
      {
        id: expect.stringMatching(/^[A-Za-z0-9_-]{21}$/),
        dashboardId: dashboard.id,
        type: 'time_series',
        title: 'Level',
        layout: { x: 12, y: 3, w: 12, h: 4 },
      },
      { id: widgetId('b'), configurationJson: '{"markdown":"# hello"}' },
      { id: widgetId('a'), configurationJson: '{"markdown":""}' },
    ]);
    expect(JSON.parse(widgets[0]?.configurationJson ?? '')).toEqual({
      series: [{ variable_id: variableId, aggregation: 'mean', axis: 'left', color: '#00ff00', style: 'line' }],
    });
    const key = { projectId, dashboardId: dashboard.id };
    expect(await client.getDashboard(key)).toEqual({ dashboard, widgets });
  });

  test('a dashboard with a name alone', async () => {
    const { dashboard, widgets } = await create(service.client, newProject(), 'A');
    expect(dashboard).toMatchObject({ description: '', widgetCount: 0 });
    expect(dashboard.timeRangeJson).toBeUndefined();
    expect(widgets).toEqual([]);
  });

  test('numbers come back as they were', async () => {
    const values = [1e308, 5e-324, 0.1, 1e21, -9007199254740991];
    const configuration = {
      variable_id: randomUUID(),
      min: -1e308,
      max: 1e308,
      thresholds: values.map((value) => ({ value, color: '#000000' })),
    };
    const gauge = { ...textWidget(''), type: 'gauge', configurationJson: JSON.stringify(configuration) };
    const { widgets } = await create(service.client, newProject(), 'A', { widgets: [gauge] });
    expect(JSON.parse(widgets[0]?.configurationJson ?? '')).toEqual(configuration);
  });

  test('every fault at once', async () => {
    const request = {
      projectId: newProject(),
      name: '',
      description: '\0',
      timeRangeJson: '{"last_seconds":0}',
      widgets: [
        textWidget('', 'short'),
        { ...textWidget(''), layout: undefined },
        { ...textWidget(''), configurationJson: '{' },
        { ...textWidget(''), type: 'pie', title: 'a\nb' },
        { ...textWidget(''), configurationJson: '{"markdown":"","html":true}' },
      ],
    };
    const error = await errorOf(service.client.createDashboard(request));
    expect(error.split(' ').slice(1).sort()).toEqual([
      '/actor',
      '/description',
      '/name',
      '/time_range/last_seconds',
      '/widgets/0/id',
      '/widgets/1/layout',
      '/widgets/2/configuration',
      '/widgets/2/configuration',
      '/widgets/3/type',
      '/widgets/4/configuration/html',
    ]);
  });

  test('too many widgets, and ids that stand twice', async () => {
    const { client } = service;
    const widgets = (...names: string[]) => ({ widgets: names.map((name) => textWidget('', widgetId(name))) });
    const projectId = newProject();
    const many = create(client, projectId, 'A', widgets('a', 'b', 'c', 'd', 'e', 'f'));
    expect(await errorOf(many)).toBe('invalid_request /widgets');
    expect(await errorOf(create(client, projectId, 'A', widgets('a', 'b', 'a')))).toBe('invalid_request /widgets/2/id');
    // an id is a widget's of its own dashboard
    await create(client, projectId, 'A', widgets('a'));
    await create(client, projectId, 'B', widgets('a'));
  });

  test('what is not there, or of another project', async () => {
    const { client } = service;
    const projectId = newProject();
    const { dashboard } = await create(client, projectId, 'A', { widgets: [textWidget('', widgetId('a'))] });
    const dashboardId = dashboard.id;
    for (const wrong of [
      { projectId: newProject(), dashboardId },
      { projectId, dashboardId: randomUUID() },
      { projectId, dashboardId: 'x' },
      { projectId: 'x', dashboardId },
    ]) {
      const update = { ...wrong, actor: operator, expectedRevision: 1, patch: { name: 'B' } };
      expect(await errorOf(client.getDashboard(wrong))).toBe('not_found');
      expect(await errorOf(client.updateDashboard(update))).toBe('not_found');
      expect(await errorOf(client.archiveDashboard({ ...wrong, actor: operator }))).toBe('not_found');
      expect(await errorOf(client.restoreDashboard({ ...wrong, actor: operator }))).toBe('not_found');
      expect(await errorOf(client.listWidgets({ ...wrong, limit: 10 }))).toBe('not_found');
      expect(await errorOf(client.getWidget({ ...wrong, widgetId: widgetId('a') }))).toBe('not_found');
    }
    expect(await errorOf(create(client, 'x', 'A'))).toBe('not_found');
  });

  test('names are unique among active dashboards of a project, by code point', async () => {
    const { client } = service;
    const projectId = newProject();
    await create(client, projectId, 'Straße');
    expect(await errorOf(create(client, projectId, ' Straße'))).toBe('name_conflict /name');
    await create(client, projectId, 'straße');
    await create(client, newProject(), 'Straße');
  });
});

describe('lifecycle', () => {
  test('archive and restore, each idempotent', async () => {
    const { client } = service;
    const projectId = newProject();
    const { dashboard, widgets } = await create(client, projectId, 'A', { widgets: [textWidget('')] });
    const key = { projectId, dashboardId: dashboard.id };
    const who = { type: 'developer_api_key', id: 'key' };
    const archived = await client.archiveDashboard({ ...key, actor: who });
    expect(archived).toMatchObject({
      dashboard: { revision: 2, lifecycle: { state: 'archived', archivedBy: who } },
      widgets,
    });
    expect(archived.dashboard?.lifecycle?.archivedAtUs).toBeGreaterThan(dashboard.updatedAtUs);
    expect(await client.archiveDashboard({ ...key, actor: operator })).toEqual(archived);

    expect(await errorOf(client.getDashboard(key))).toBe('not_found');
    expect(await client.getDashboard({ ...key, includeArchived: true })).toEqual(archived);
    const update = { ...key, actor: operator, expectedRevision: 2, patch: { name: 'B' } };
    expect(await errorOf(client.updateDashboard(update))).toBe('lifecycle_conflict path/dashboard_id');

    const restored = await client.restoreDashboard({ ...key, actor: operator });
    expect(restored).toMatchObject({ dashboard: { revision: 3, lifecycle: { state: 'active' } }, widgets });
    expect(await client.restoreDashboard({ ...key, actor: who })).toEqual(restored);
    expect(await errorOf(client.archiveDashboard(key))).toBe('invalid_request /actor');
    expect(await errorOf(client.restoreDashboard(key))).toBe('invalid_request /actor');
  });

  test('an archived name is free, and a restore into a taken one is refused', async () => {
    const { client } = service;
    const projectId = newProject();
    const { dashboard } = await create(client, projectId, 'A');
    const change = { projectId, dashboardId: dashboard.id, actor: operator };
    await client.archiveDashboard(change);
    await create(client, projectId, 'A');
    expect(await errorOf(client.restoreDashboard(change))).toBe('name_conflict /name');
  });
});

test('the schema itself refuses widgets without a dashboard, and what is no object', async () => {
  const { client, databaseUrl } = service;
  const projectId = newProject();
  const { dashboard } = await create(client, projectId, 'A');
  await using pool = openPool({ url: databaseUrl, max: 1 });
  const insert = (project: string, id: string, configuration: string) =>
    pool.query(sql`
      insert into dashboards.widgets (project_id, dashboard_id, id, position, type, title, layout, configuration)
      values (${project}, ${dashboard.id}, ${id}, 1, 'text', '', '{}', ${configuration})`);
  await expect(insert(newProject(), widgetId('a'), '{}')).rejects.toMatchObject({
    constraint: 'widgets_project_id_dashboard_id_fkey',
  });
  await expect(insert(projectId, 'a', '{}')).rejects.toMatchObject({ constraint: 'widgets_id_check' });
  await expect(insert(projectId, widgetId('a'), '[]')).rejects.toMatchObject({
    constraint: 'widgets_configuration_check',
  });
});
