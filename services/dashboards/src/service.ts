import { listEntries } from '@weir/kit/audit';
import type { StartedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { DashboardsServiceDefinition } from '@weir/proto/dashboards';
import type { DashboardsConfig } from './config.js';
import { changeMethods } from './rpc/change-dashboards.js';
import { createMethod } from './rpc/create-dashboard.js';
import { readMethods } from './rpc/read-dashboards.js';
import { updateMethod } from './rpc/update-dashboard.js';
import { widgetMethods } from './rpc/widgets.js';
import { selectAuditEntries } from './store/audit.js';
import { dashboardConstraints } from './store/dashboards.js';
import { requireSchema } from './store/schema.js';
import { sessionSettings } from './store/session-settings.js';

/** Nothing here reads or writes more than one dashboard, or a page of them. */
const statementTimeoutMs = 10_000;

/** Starts the dashboards service: dashboards and their widgets. */
export async function startDashboards(config: DashboardsConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      keepsToProjects: true,
      max: config.databasePoolMax,
      statementTimeoutMs,
      settings: sessionSettings,
      constraints: dashboardConstraints,
    }),
  );
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(DashboardsServiceDefinition, {
          ...createMethod(pool, config),
          ...readMethods(pool),
          ...updateMethod(pool, config),
          ...changeMethods(pool),
          ...widgetMethods(pool),
        }),
        served(AuditServiceDefinition, { listEntries: (request) => listEntries(pool, selectAuditEntries, request) }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  const stack = started.move();
  return { address: server.address, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
