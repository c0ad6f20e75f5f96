import type { Clients } from '../clients/clients.js';
import { type Operation, operation } from '../http/operation.js';
import { required, shortId } from '../http/parameters.js';
import { pageOf } from '../schemas/answers.js';
import { toWidgetJson, widgetShape } from '../schemas/dashboards.js';
import { present, projectPath, readCall } from './record-call.js';
import { type FamilyDependencies, includeArchivedParameter, plainListQuery } from './record-family.js';

const collection = '/dashboards/{dashboard_id}/widgets';
const tag = 'Dashboard widgets';
const permission = 'developer_api.dashboards.read';

/** The operations that read widgets one by one; they are written with their dashboard. */
export function dashboardWidgetsOperations({
  dashboards,
  cursors,
}: Pick<FamilyDependencies, 'cursors'> & {
  readonly dashboards: Pick<Clients['dashboards'], 'listWidgets' | 'getWidget'>;
}): readonly Operation[] {
  const { path, params } = projectPath(collection);
  const listId = 'developerapi_dashboard_widgets_list';
  return [
    operation({
      id: listId,
      method: 'GET',
      path,
      tag,
      summary: 'List the widgets of a dashboard',
      description: 'In the order of their ids; the dashboard itself has them in their own.',
      auth: 'developer',
      permission,
      params,
      query: plainListQuery,
      success: {
        status: 200,
        schema: pageOf(widgetShape.schema),
        example: { items: [widgetShape.example], next_cursor: null },
      },
      errors: ['not_found', 'invalid_cursor'],
      handle: async (request) => {
        const { query } = request;
        const { key, options } = readCall(collection, request);
        const { include_archived: includeArchived, limit } = query;
        const binding = {
          operation: listId,
          projectId: key.projectId,
          keyId: request.principal.keyId,
          filters: { dashboardId: key.dashboardId, includeArchived },
        };
        const after = query.cursor === undefined ? '' : cursors.open(query.cursor, binding);
        const page = await dashboards.listWidgets({ ...key, includeArchived, limit, after }, options);
        return {
          items: page.widgets.map(toWidgetJson),
          next_cursor: page.nextAfter === '' ? null : cursors.seal(page.nextAfter, binding),
        };
      },
    }),
    operation({
      id: 'developerapi_dashboard_widgets_read',
      method: 'GET',
      path: `${path}/{widget_id}`,
      tag,
      summary: 'Read a widget of a dashboard',
      auth: 'developer',
      permission,
      params: { ...params, widget_id: required(shortId, 'Id of the widget.', widgetShape.example.id) },
      query: { include_archived: includeArchivedParameter },
      success: { status: 200, ...widgetShape },
      errors: ['not_found'],
      handle: async (request) => {
        const { query } = request;
        const { key, options } = readCall(collection, request);
        const { widget } = await dashboards.getWidget(
          { ...key, widgetId: request.params.widget_id, includeArchived: query.include_archived },
          options,
        );
        return toWidgetJson(present(widget));
      },
    }),
  ];
}
