import type { Dashboard, Widget } from '@weir/proto/dashboards';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import {
  type DashboardDetail,
  dashboardDetailShape,
  dashboardMembers,
  dashboardPatchResultShape,
  dashboardShape,
  fromDashboardPatch,
  fromNewDashboard,
  newDashboard,
  newDashboardExample,
  toDashboardDetailJson,
  toDashboardJson,
  toWidgetJson,
} from '../schemas/dashboards.js';
import type { Shape } from '../schemas/records.js';
import {
  checkReferences,
  findReferences,
  type ReferencesClient,
  unavailableReferences,
} from './dashboard-references.js';
import { present, type RecordCall } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

/** A dashboard as the service answers it. */
interface Answered {
  readonly dashboard: Dashboard | undefined;
  readonly widgets: readonly Widget[];
}

/** The operations on dashboards. Their widgets are written here, and read one by one in a family of their own. */
export function dashboardsOperations(
  dependencies: FamilyDependencies & {
    readonly dashboards: Clients['dashboards'];
    readonly variables: ReferencesClient;
  },
  limits: { readonly widgetsPerDashboardMax: number },
): readonly Operation[] {
  const { dashboards, variables } = dependencies;
  const members = dashboardMembers(limits.widgetsPerDashboardMax);
  const family = <R, W>(record: Shape<R>, written: Shape<W>) =>
    recordFamily(
      {
        name: 'dashboards',
        tag: 'Dashboards',
        one: 'a dashboard',
        many: 'dashboards',
        collection: '/dashboards',
        id: 'dashboard_id',
        record,
        written,
      },
      dependencies,
    );
  const listed = family(dashboardShape, dashboardShape);
  const whole = family(dashboardDetailShape, dashboardDetailShape);
  const patched = family(dashboardDetailShape, dashboardPatchResultShape);

  const toDetail = async (
    { key, options }: Pick<RecordCall<'/dashboards'>, 'key' | 'options'>,
    { dashboard, widgets }: Answered,
  ): Promise<DashboardDetail> => {
    const saved = widgets.map(toWidgetJson);
    const found = await findReferences(variables, key.projectId, saved, options);
    return toDashboardDetailJson(present(dashboard), saved, unavailableReferences(saved, found));
  };
  return [
    listed.list(
      { filters: {}, description: 'Without their widgets, which reading one answers.' },
      async ({ key, options }, page) => {
        const { dashboards: found, nextAfter } = await dashboards.listDashboards({ ...key, ...page }, options);
        return { items: found.map(toDashboardJson), nextAfter };
      },
    ),
    whole.create(
      {
        body: newDashboard(members),
        example: newDashboardExample,
        description: 'Only `name` is required. What a widget names must exist in the project; it may be archived.',
      },
      async ({ key, actor, options }, body) => {
        const found = await checkReferences(variables, key.projectId, body.widgets ?? [], options);
        const { dashboard, widgets } = await dashboards.createDashboard(
          { ...key, ...fromNewDashboard(body), actor },
          options,
        );
        const saved = widgets.map(toWidgetJson);
        return toDashboardDetailJson(present(dashboard), saved, unavailableReferences(saved, found));
      },
    ),
    whole.read(
      async (call, includeArchived) =>
        await toDetail(call, await dashboards.getDashboard({ ...call.key, includeArchived }, call.options)),
      { description: 'With its widgets, and with what they name and what was archived since.' },
    ),
    patched.update(
      {
        members,
        isGuarded: true,
        example: { expected_revision: 1, name: 'North weir and lock' },
        description:
          '`expected_revision` is required: when the dashboard has another one by now, the answer is 409 and says ' +
          'which, when it was saved and by whom. `widgets` replaces the complete set of widgets; one that keeps ' +
          'its `id` is the same widget.',
      },
      async ({ key, actor, options }, patch) => {
        const request = { ...key, expectedRevision: patch.expectedRevision ?? 0, actor };
        // an update of nothing, refused where the dashboard is not there, is archived or was changed since
        const updateNothing = () => dashboards.updateDashboard(request, options);
        await checkReferences(variables, key.projectId, patch.given.widgets ?? [], options, updateNothing);
        const { dashboard, widgets } = await dashboards.updateDashboard(
          { ...request, patch: fromDashboardPatch(patch) },
          options,
        );
        return { dashboard: toDashboardJson(present(dashboard)), widgets: widgets.map(toWidgetJson) };
      },
    ),
    whole.archive(
      async (call) =>
        await toDetail(call, await dashboards.archiveDashboard({ ...call.key, actor: call.actor }, call.options)),
    ),
    whole.restore(
      async (call) =>
        await toDetail(call, await dashboards.restoreDashboard({ ...call.key, actor: call.actor }, call.options)),
    ),
  ];
}
