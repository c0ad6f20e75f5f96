import { WeirError } from '@weir/kit/errors';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import type { DashboardPatch } from '@weir/proto/dashboards';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  create,
  startTestDashboards,
  type TestDashboards,
  textWidget,
  widgetId,
} from './test-dashboards.js';

let service: TestDashboards;
beforeAll(async () => {
  service = await startTestDashboards();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A dashboard with everything, and updates of it. */
async function started(client: Client, projectId = newProject()) {
  const { dashboard, widgets } = await create(client, projectId, 'A', {
    description: 'd',
    timeRangeJson: '{"last_seconds":60}',
    widgets: [textWidget('one', widgetId('1')), textWidget('two', widgetId('2'))],
  });
  return {
    dashboard,
    widgets,
    update: (expectedRevision: number, patch: Partial<DashboardPatch>, actor = operator) =>
      client.updateDashboard({ projectId, dashboardId: dashboard.id, expectedRevision, patch, actor }),
    get: () => client.getDashboard({ projectId, dashboardId: dashboard.id }),
  };
}

describe('a patch', () => {
  test('replaces what it has, and leaves the rest', async () => {
    const { dashboard, widgets, update, get } = await started(service.client);
    const renamed = await update(1, { name: ' B ' });
    expect(renamed).toEqual({
      dashboard: { ...dashboard, name: 'B', revision: 2, updatedAtUs: renamed.dashboard?.updatedAtUs },
      widgets,
    });
    expect(renamed.dashboard?.updatedAtUs).toBeGreaterThan(dashboard.updatedAtUs);
    expect(await get()).toEqual(renamed);
    const range = await update(2, { timeRangeJson: '{"last_seconds":61}', description: '' });
    expect(range.dashboard).toMatchObject({ timeRangeJson: '{"last_seconds":61}', description: '', name: 'B' });
    const cleared = await update(3, { cleared: ['time_range'] });
    expect(cleared.dashboard?.timeRangeJson).toBeUndefined();
    expect(cleared).toMatchObject({ dashboard: { revision: 4 }, widgets });
  });

  test('replaces the whole set of widgets', async () => {
    const { update, get } = await started(service.client);
    const items = [textWidget('three'), textWidget('two!', widgetId('2'))];
    const replaced = await update(1, { widgets: { items } });
    expect(replaced.dashboard).toMatchObject({ revision: 2, widgetCount: 2 });
    expect(replaced.widgets.map(({ configurationJson }) => configurationJson)).toEqual([
      '{"markdown":"three"}',
      '{"markdown":"two!"}',
    ]);
    expect(replaced.widgets[1]?.id).toBe(widgetId('2'));
    expect(await get()).toEqual(replaced);
    const emptied = await update(2, { widgets: { items: [] } });
    expect(emptied).toMatchObject({ dashboard: { revision: 3, widgetCount: 0 }, widgets: [] });
  });

  test('that changes nothing keeps the revision', async () => {
    const { dashboard, widgets, update } = await started(service.client);
    const same: Partial<DashboardPatch>[] = [
      {},
      { name: ' A' },
      { description: 'd', timeRangeJson: ' { "last_seconds" : 60 } ' },
      { widgets: { items: [...widgets] } },
      { name: 'A', widgets: { items: [textWidget('one', widgetId('1')), textWidget('two', widgetId('2'))] } },
    ];
    for (const patch of same) expect(await update(1, patch)).toEqual({ dashboard, widgets });
  });

  test('with widgets in another order changes them', async () => {
    const { widgets, update } = await started(service.client);
    const items = widgets.toReversed();
    expect(await update(1, { widgets: { items } })).toMatchObject({ dashboard: { revision: 2 }, widgets: items });
  });

  test('tells every fault at once', async () => {
    const { update } = await started(service.client);
    const items = [textWidget('', widgetId('1')), textWidget('', widgetId('1'))];
    const wrong = { name: '\n', timeRangeJson: '[]', widgets: { items }, cleared: ['name', 'widgets'] };
    expect((await errorOf(update(0, wrong, { type: '', id: '' }))).split(' ').sort()).toEqual([
      '/actor',
      '/expected_revision',
      '/name',
      '/name',
      '/time_range',
      '/widgets',
      '/widgets/1/id',
      'invalid_request',
    ]);
  });

  test('may not take a name', async () => {
    const projectId = newProject();
    const { update } = await started(service.client, projectId);
    await create(service.client, projectId, 'B');
    expect(await errorOf(update(1, { name: 'B' }))).toBe('name_conflict /name');
  });
});

test('a stale revision is told with the current one, when and by whom', async () => {
  const { update } = await started(service.client);
  const { dashboard } = await update(1, { name: 'B' }, { type: 'developer_api_key', id: 'key 7' });
  const error = await update(1, { name: 'A' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WeirError);
  const savedAt = new Date((dashboard?.updatedAtUs ?? 0) / 1000).toISOString().slice(0, -1);
  expect(error).toMatchObject({
    code: 'revision_conflict',
    details: [
      {
        path: '/expected_revision',
        code: 'revision_conflict',
        message: expect.stringMatching(new RegExp(`is 2, saved at ${savedAt}.* by developer_api_key key 7`)),
      },
    ],
  });
  expect(await errorOf(update(3, { name: 'A' }))).toBe('revision_conflict /expected_revision');
});

test('of fifty patches with one revision exactly one wins, and is saved whole', async () => {
  const other = await service.another();
  const { dashboard, get } = await started(service.client);
  const names = Array.from({ length: 50 }, (_, number) => `patch ${number}`);
  const outcomes = await Promise.all(
    names.map(async (name, number) => {
      const call = (number % 2 === 0 ? service.client : other).updateDashboard({
        projectId: dashboard.projectId,
        dashboardId: dashboard.id,
        expectedRevision: 1,
        patch: { name, widgets: { items: [textWidget(name), textWidget(name)] } },
        actor: operator,
      });
      return { name, error: await errorOf(call) };
    }),
  );
  const won = outcomes.filter(({ error }) => error === 'no error');
  expect(won).toHaveLength(1);
  expect(new Set(outcomes.map(({ error }) => error))).toEqual(
    new Set(['no error', 'revision_conflict /expected_revision']),
  );
  const [{ name } = { name: '' }] = won;
  const saved = await get();
  expect(saved.dashboard).toMatchObject({ name, revision: 2, widgetCount: 2 });
  expect(saved.widgets.map(({ configurationJson }) => configurationJson)).toEqual(
    Array.from({ length: 2 }, () => JSON.stringify({ markdown: name })),
  );
});

test('a reader sees a dashboard and its widgets of one moment', async () => {
  const { dashboard, update, get } = await started(service.client);
  const changes = async () => {
    for (let revision = 1; revision <= 40; revision++) {
      const items = Array.from({ length: revision % 3 }, () => textWidget(`r${revision + 1}`));
      await update(revision, { description: `r${revision + 1}`, widgets: { items } });
    }
  };
  const changing = changes();
  let revision = 0;
  while (revision < 41) {
    const seen = await get();
    revision = seen.dashboard?.revision ?? 0;
    expect(seen.dashboard?.widgetCount).toBe(seen.widgets.length);
    if (revision === 1) continue;
    expect(seen.dashboard?.description).toBe(`r${revision}`);
    for (const widget of seen.widgets) expect(widget.configurationJson).toBe(`{"markdown":"r${revision}"}`);
  }
  await changing;
  expect(dashboard.revision).toBe(1);
});
