import { type ConfigOf, dashboardLimits, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** Settings of the dashboards service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_dashboards_tenant'),
  ...dashboardLimits,
} as const;

/** The settings as they are used. */
export type DashboardsConfig = ConfigOf<typeof settings>;
