import { type ConfigOf, integer, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** Settings of the dashboards service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_dashboards'),
  widgetsPerDashboardMax: {
    env: 'WIDGETS_PER_DASHBOARD_MAX',
    doc: 'Widgets that one dashboard may have.',
    grammar: integer(1, 1000),
    default: '200',
  },
} as const;

/** The settings as they are used. */
export type DashboardsConfig = ConfigOf<typeof settings>;
