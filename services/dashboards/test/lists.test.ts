import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create, startTestDashboards, type TestDashboards, textWidget, widgetId } from './test-dashboards.js';

let service: TestDashboards;
beforeAll(async () => {
  service = await startTestDashboards();
});
afterAll(() => service[Symbol.asyncDispose]());

/** All names of a list, page by page. */
async function names(projectId: string, request: { q?: string; includeArchived?: boolean; limit?: number } = {}) {
  const found: string[][] = [];
  let after = '';
  do {
    const page = await service.client.listDashboards({ projectId, limit: 2, after, ...request });
    found.push(page.dashboards.map(({ name }) => name));
    after = page.nextAfter;
  } while (after !== '');
  return found;
}

describe('dashboards', () => {
  test('come in the order of their creation, without their widgets, and only their own project', async () => {
    const projectId = newProject();
    for (const name of ['c', 'a', 'd', 'b']) {
      await create(service.client, projectId, name, { widgets: [textWidget(name), textWidget(name)] });
    }
    await create(service.client, newProject(), 'e');
    expect(await names(projectId)).toEqual([
      ['c', 'a'],
      ['d', 'b'],
    ]);
    expect(await names(projectId, { limit: 3 })).toEqual([['c', 'a', 'd'], ['b']]);
    expect(await names(newProject())).toEqual([[]]);
    const { dashboards } = await service.client.listDashboards({ projectId, limit: 1 });
    expect(dashboards).toMatchObject([{ name: 'c', widgetCount: 2, revision: 1 }]);
  });

  test('are found by a part of their name, whatever its case', async () => {
    const projectId = newProject();
    for (const name of ['Upper Weir', 'ÄRGER 100%', 'weir_2', 'Café', 'back\\slash', 'ΟΔΟΣΑ']) {
      await create(service.client, projectId, name);
    }
    const find = async (q: string) => (await names(projectId, { q })).flat();
    expect(await find('WEIR')).toEqual(['Upper Weir', 'weir_2']);
    expect(await find('ärg')).toEqual(['ÄRGER 100%']);
    expect(await find('%')).toEqual(['ÄRGER 100%']);
    expect(await find('_')).toEqual(['weir_2']);
    expect(await find('\\')).toEqual(['back\\slash']);
    expect(await find('cafe\u0301')).toEqual(['Café']);
    expect(await find('ΟΔΟΣ')).toEqual(['ΟΔΟΣΑ']);
    expect(await find('nowhere')).toEqual([]);
  });

  test('that are archived are shown when asked for', async () => {
    const projectId = newProject();
    for (const name of ['a', 'b', 'c']) await create(service.client, projectId, name);
    const { dashboards } = await service.client.listDashboards({ projectId, limit: 1, q: 'b' });
    await service.client.archiveDashboard({ projectId, dashboardId: dashboards[0]?.id ?? '', actor: operator });
    expect(await names(projectId)).toEqual([['a', 'c']]);
    expect(await names(projectId, { includeArchived: true })).toEqual([['a', 'b'], ['c']]);
  });

  test('are neither repeated nor skipped while others are created and renamed', async () => {
    const projectId = newProject();
    const ids = new Map<string, string>();
    for (let number = 0; number < 20; number++) {
      const { dashboard } = await create(service.client, projectId, `old ${number}`);
      ids.set(dashboard.id, dashboard.name);
    }
    const seen: string[] = [];
    let after = '';
    let round = 0;
    do {
      const page = await service.client.listDashboards({ projectId, limit: 3, after });
      seen.push(...page.dashboards.map(({ id }) => id).filter((id) => ids.has(id)));
      after = page.nextAfter;
      const renamed = [...ids.keys()][round] ?? '';
      const patch = { name: `a renamed ${round}` };
      await service.client.updateDashboard({
        projectId,
        dashboardId: renamed,
        expectedRevision: 1,
        patch,
        actor: operator,
      });
      await create(service.client, projectId, `new ${round++}`);
    } while (after !== '' && round < 20);
    expect(seen).toEqual([...ids.keys()]);
  });

  test('are refused for what is no page', async () => {
    const projectId = newProject();
    expect(await errorOf(service.client.listDashboards({ projectId }))).toBe('invalid_request /limit');
    const wrong = { projectId, limit: 10, after: 'x' };
    expect(await errorOf(service.client.listDashboards(wrong))).toBe('invalid_request /after');
    expect(await errorOf(service.client.listDashboards({ projectId: 'x', limit: 1 }))).toBe('not_found');
  });
});

describe('widgets', () => {
  test('are listed by their ids, and read one by one', async () => {
    const { client } = service;
    const projectId = newProject();
    const { dashboard, widgets } = await create(client, projectId, 'A', {
      widgets: ['b', 'e', 'a', 'd', 'c'].map((name) => textWidget(name, widgetId(name))),
    });
    const key = { projectId, dashboardId: dashboard.id };
    const first = await client.listWidgets({ ...key, limit: 3 });
    expect(first.widgets).toEqual(['a', 'b', 'c'].map((name) => widgets.find(({ id }) => id === widgetId(name))));
    // a widget of the page before is gone, another comes before the place
    const items = ['0', 'e', 'b', 'a', 'd'].map((name) => textWidget(name, widgetId(name)));
    await client.updateDashboard({ ...key, expectedRevision: 1, patch: { widgets: { items } }, actor: operator });
    const second = await client.listWidgets({ ...key, limit: 3, after: first.nextAfter });
    expect(second.widgets.map(({ id }) => id)).toEqual(['d', 'e'].map(widgetId));
    expect(second.nextAfter).toBe('');

    expect(await client.getWidget({ ...key, widgetId: widgetId('d') })).toEqual({ widget: second.widgets[0] });
    for (const gone of ['c', 'z', '\0']) {
      expect(await errorOf(client.getWidget({ ...key, widgetId: widgetId(gone) }))).toBe('not_found');
    }
    expect(await errorOf(client.listWidgets({ ...key, limit: 3, after: '\0' }))).toBe('invalid_request /after');
    expect(await errorOf(client.listWidgets({ ...key, limit: 0 }))).toBe('invalid_request /limit');
  });

  test('of an archived dashboard are shown when asked for', async () => {
    const { client } = service;
    const projectId = newProject();
    const { dashboard } = await create(client, projectId, 'A', { widgets: [textWidget('', widgetId('a'))] });
    const key = { projectId, dashboardId: dashboard.id };
    await client.archiveDashboard({ ...key, actor: operator });
    expect(await errorOf(client.listWidgets({ ...key, limit: 1 }))).toBe('not_found');
    expect(await errorOf(client.getWidget({ ...key, widgetId: widgetId('a') }))).toBe('not_found');
    const all = { ...key, includeArchived: true };
    expect((await client.listWidgets({ ...all, limit: 1 })).widgets).toHaveLength(1);
    expect((await client.getWidget({ ...all, widgetId: widgetId('a') })).widget?.dashboardId).toBe(dashboard.id);
  });
});
