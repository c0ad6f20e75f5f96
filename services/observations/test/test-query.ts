import { parseConfig } from '@weir/kit/config';
import type { StartedService } from '@weir/kit/lifecycle';
import { type QueryConfig, querySettings } from '../src/config.js';
import { startQuery } from '../src/service.js';
import { silentLog } from './test-servers.js';

/** Starts a query service of a test's own. */
export function startTestQuery(databaseUrl: string, deviations: Partial<QueryConfig> = {}): Promise<StartedService> {
  const config = parseConfig(querySettings, { DATABASE_URL: databaseUrl, LISTEN_ADDRESS: '127.0.0.1:0' });
  return startQuery({ ...config, databasePoolMax: 2, ...deviations }, silentLog);
}
