import {
  type ConfigOf,
  dashboardLimits,
  parserLimits,
  processSettings,
  queryLimits,
  serverSettings,
} from '@weir/kit/config';
import { authSettings } from './auth/settings.js';
import { clientSettings } from './clients/settings.js';
import { cursorSettings } from './cursors/settings.js';
import { httpSettings } from './http/settings.js';
import { ingestSettings } from './ingest/settings.js';
import { limitSettings } from './limits/settings.js';

/** The settings of a gateway. */
export const settings = {
  ...processSettings,
  listenAddress: {
    ...serverSettings.listenAddress,
    doc: 'Where the HTTP server listens; port 0 takes a free one.',
    default: '0.0.0.0:8080',
  },
  ...httpSettings,
  ...clientSettings,
  ...authSettings,
  ...limitSettings,
  ...cursorSettings,
  ...ingestSettings,
  ...dashboardLimits,
  ...parserLimits,
  ...queryLimits,
} as const;

/** The parsed settings of a gateway. */
export type GatewayConfig = ConfigOf<typeof settings>;
