import { randomUUID } from 'node:crypto';
import { parseConfig } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { createLogger } from '@weir/kit/log';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { type Dashboard, DashboardsServiceDefinition, type Widget } from '@weir/proto/dashboards';
import { settings } from '../src/config.js';
import { startDashboards } from '../src/service.js';

/** A client of the dashboards service. */
export type Client = RpcClient<typeof DashboardsServiceDefinition>;

/** The service over a database of its own, and its client. */
export interface TestDashboards extends AsyncDisposable {
  readonly client: Client;
  readonly databaseUrl: string;
  /** Starts the service once more over the same database, with its own pool; ended with the rest. */
  another(): Promise<Client>;
}

/** Starts the service as its process does. */
export async function startTestDashboards(env: Record<string, string> = {}): Promise<TestDashboards> {
  const database = await createTestDatabase(new URL('../../..', import.meta.url).pathname, 'dashboards');
  const config = parseConfig(settings, {
    DATABASE_URL: database.url,
    LISTEN_ADDRESS: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const log = createLogger('dashboards', config.logLevel);
  const ends: (() => unknown)[] = [];
  const another = async (): Promise<Client> => {
    const service = await startDashboards(config, log);
    const client = connect(DashboardsServiceDefinition, service.address);
    ends.unshift(
      () => client[Symbol.dispose](),
      () => service[Symbol.asyncDispose](),
    );
    return client;
  };
  return {
    client: await another(),
    databaseUrl: database.url,
    another,
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Who makes the changes of tests. */
export const operator = { type: 'user', id: 'operator' };

/** A project that nobody else uses. */
export function newProject(): string {
  return randomUUID();
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

/** The error that a call ends with, as `code` or `code path, path …` of its details. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return [error.code, ...error.details.map(({ path }) => path)].join(' ');
  }
  return 'no error';
}
