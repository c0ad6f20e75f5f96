import { listEntries } from '@weir/kit/audit';
import { type StartedService, startedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { indexWalks, openPool } from '@weir/kit/sql';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { DashboardsServiceDefinition } from '@weir/proto/dashboards';
import type { DashboardsConfig } from './config.js';
import { archiveDashboard, restoreDashboard } from './rpc/change-dashboards.js';
import { createDashboard } from './rpc/create-dashboard.js';
import { getDashboard, listDashboards } from './rpc/read-dashboards.js';
import { updateDashboard } from './rpc/update-dashboard.js';
import { getWidget, listWidgets } from './rpc/widgets.js';
import { selectAuditEntries } from './store/audit.js';
import { dashboardConstraints } from './store/dashboards.js';
import { requireSchema } from './store/schema.js';

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
      settings: indexWalks,
      constraints: dashboardConstraints,
    }),
  );
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(DashboardsServiceDefinition, {
          createDashboard: (request) => createDashboard(pool, request, config),
          getDashboard: (request) => getDashboard(pool, request),
          listDashboards: (request) => listDashboards(pool, request),
          updateDashboard: (request) => updateDashboard(pool, request, config),
          archiveDashboard: (request) => archiveDashboard(pool, request),
          restoreDashboard: (request) => restoreDashboard(pool, request),
          listWidgets: (request) => listWidgets(pool, request),
          getWidget: (request) => getWidget(pool, request),
        }),
        served(AuditServiceDefinition, { listEntries: (request) => listEntries(pool, selectAuditEntries, request) }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  return startedService(started, server.address);
}
