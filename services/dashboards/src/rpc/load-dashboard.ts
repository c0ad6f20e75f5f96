import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import type { DashboardDetail } from '../domain/dashboard.js';
import { type DashboardKey, lockDashboard, selectDashboard } from '../store/dashboards.js';

/** The key of the dashboard that a request names; texts that cannot be ids name none. @throws WeirError `not_found` */
export function toKey({ projectId, dashboardId }: DashboardKey): DashboardKey {
  if (!isId(dashboardId)) throw notFound('dashboard');
  return { projectId: fromProjectId(projectId), dashboardId };
}

/** The dashboard, archived or not, which nobody else changes until the transaction ends. @throws WeirError `not_found` */
export async function loadLocked(tx: Transaction, key: DashboardKey): Promise<DashboardDetail> {
  const locked = await lockDashboard.maybe(tx, key);
  if (locked === undefined) throw notFound('dashboard');
  return await selectDashboard.one(tx, key);
}
