import { parseConfig } from '@weir/kit/config';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { operator, startTestService, type TestService } from '@weir/kit/testing';
import { type Dashboard, DashboardsServiceDefinition, type Widget } from '@weir/proto/dashboards';
import { settings } from '../src/config.js';
import { startDashboards } from '../src/service.js';

/** A client of the dashboards service. */
export type Client = RpcClient<typeof DashboardsServiceDefinition>;

/** The service over a database of its own, and its client. */
export type TestDashboards = TestService<Client>;

/** Starts the service as its process does. */
export async function startTestDashboards(env: Record<string, string> = {}): Promise<TestDashboards> {
  return await startTestService(
    'dashboards',
    (base, log) => startDashboards(parseConfig(settings, { ...base, ...env }), log),
    (address) => connect(DashboardsServiceDefinition, address),
  );
}

/** A widget with a text, as requests have it; its id is made unless given. */
export function textWidget(markdown: string, id = ''): Widget {
  return {
    id,
    dashboardId: '',
    type: 'text',
    title: '',
    layout: { x: 0, y: 0, w: 24, h: 2 },
    configurationJson: JSON.stringify({ markdown }),
  };
}

/** The id of a widget that ends with `name`. */
export function widgetId(name: string): string {
  return name.padStart(21, '_');
}

/** Creates a dashboard. */
export async function create(
  client: Client,
  projectId: string,
  name: string,
  fields: object = {},
): Promise<{ readonly dashboard: Dashboard; readonly widgets: readonly Widget[] }> {
  const { dashboard, widgets } = await client.createDashboard({ projectId, name, actor: operator, ...fields });
  if (dashboard === undefined) throw new Error('the answer lacks its dashboard');
  return { dashboard, widgets };
}
