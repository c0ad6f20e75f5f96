import type { TimeRange } from '@weir/dashboard-shapes';
import { type Actor, nameTaken, projectRecordColumns, type RecordPage } from '@weir/kit/records';
import { archiving, type ConstraintErrors, containsPattern, restoring, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Dashboard } from '../domain/dashboard.js';
import type { Widget } from '../domain/widget.js';

/** The primary key of a dashboard. */
export interface DashboardKey {
  readonly projectId: string;
  readonly dashboardId: string;
}

/** What is written of a dashboard. */
interface DashboardFields extends Pick<Dashboard, 'name' | 'description' | 'timeRange' | 'widgetCount'> {
  readonly actor: Actor;
}

const none = z.object({});

const dashboard = z.object({
  ...projectRecordColumns,
  description: z.string(),
  timeRange: z.custom<TimeRange>().optional(),
  widgetCount: z.number(),
});

/** A dashboard of the project with its widgets, archived or not. */
export const selectDashboard = statement(
  dashboard.extend({ widgets: z.array(z.custom<Widget>()) }),
  ({ projectId, dashboardId }: DashboardKey) => sql`
    select id, project_id, name, description, time_range, widget_count, revision,
      created_at as created_at_us, updated_at as updated_at_us, updated_by, archived_at as archived_at_us, archived_by,
      coalesce((
        select json_agg(
          json_build_object('id', widget.id, 'type', type, 'title', title, 'layout', layout,
            'configuration', configuration)
          order by position)
        from dashboards.widgets as widget
        where widget.project_id = dashboard.project_id and dashboard_id = dashboard.id
      ), '[]') as widgets
    from dashboards.dashboards as dashboard
    where project_id = ${projectId} and id = ${dashboardId}`,
);

/** Whether a dashboard of the project is there and active. */
export const selectDashboardState = statement(
  z.object({ archivedAtUs: z.number().optional() }),
  ({ projectId, dashboardId }: DashboardKey) => sql`
    select archived_at as archived_at_us
    from dashboards.dashboards
    where project_id = ${projectId} and id = ${dashboardId}`,
);

/**
 * Makes other changes of a dashboard wait for the end of the transaction. What is read together with
 * the lock may be older than the change that it waited for; what is read after it is not.
 */
export const lockDashboard = statement(
  z.object({ id: z.string() }),
  ({ projectId, dashboardId }: DashboardKey) => sql`
    select id from dashboards.dashboards
    where project_id = ${projectId} and id = ${dashboardId}
    for update`,
);

/** Dashboards of a project in the order of their creation. */
export const selectDashboards = statement(
  dashboard,
  (list: RecordPage) => sql`
    select id, project_id, name, description, time_range, widget_count, revision,
      created_at as created_at_us, updated_at as updated_at_us, updated_by, archived_at as archived_at_us, archived_by
    from dashboards.dashboards
    where project_id = ${list.projectId} and id > ${list.after}
      and (${list.includeArchived} or archived_at is null)
      and (${list.q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(list.q)} collate "und-x-icu"))))
    order by id
    limit ${list.readMax}`,
);

/** Adds a dashboard. */
export const insertDashboard = statement(
  none,
  (created: DashboardKey & DashboardFields) => sql`
    insert into dashboards.dashboards
      (project_id, id, name, description, time_range, widget_count, created_by, updated_by)
    select ${created.projectId}, ${created.dashboardId}, ${created.name}, ${created.description},
      ${created.timeRange}::json, ${created.widgetCount}::integer, actor, actor
    from (select ${created.actor}::jsonb as actor) as change`,
);

/** Saves a dashboard as it is now, but its widgets; the audit is told whether they change too. */
export const updateDashboard = statement(
  none,
  (changed: DashboardKey & DashboardFields & { readonly changesWidgets: boolean }) => sql`
    update dashboards.dashboards
    set name = ${changed.name}, description = ${changed.description}, time_range = ${changed.timeRange},
      widget_count = ${changed.widgetCount},
      updated_at = statement_timestamp(), updated_by = ${changed.actor}, revision = revision + 1
    where project_id = ${changed.projectId} and id = ${changed.dashboardId}
      and set_config('weir.changed', case when ${changed.changesWidgets} then 'widgets' else '' end, true) is not null`,
);

/** Archives an active dashboard. */
export const updateDashboardArchived = archiving('dashboards.dashboards');

/** Makes an archived dashboard active again. */
export const updateDashboardRestored = restoring('dashboards.dashboards');

/** What violated constraints of dashboards mean. */
export const dashboardConstraints: ConstraintErrors = {
  dashboards_project_id_name_key: () => nameTaken('/name', 'active dashboard of the project'),
};
