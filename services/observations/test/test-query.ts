import type { StartedService } from '@weir/kit/lifecycle';
import type { QueryConfig } from '../src/config.js';
import { startQuery } from '../src/service.js';
import { silentLog } from './test-servers.js';

/** Starts a query service of a test's own. */
export function startTestQuery(databaseUrl: string, deviations: Partial<QueryConfig> = {}): Promise<StartedService> {
  return startQuery(
    {
      logLevel: 'silent',
      drainMs: 0,
      metricsAddress: '',
      listenAddress: '127.0.0.1:0',
      healthAddress: '',
      rpcPlain: false,
      tlsCertFile: '',
      tlsKeyFile: '',
      tlsCaFile: '',
      tlsServerName: 'weir',
      databaseUrl,
      databaseRole: 'weir_observations_query_tenant',
      databasePoolMax: 2,
      statementTimeoutMs: 10_000,
      changeRetentionDays: 30,
      queryObservationsMax: 50_000_000,
      exportsMax: 2,
      exportTimeoutMs: 60_000,
      ...deviations,
    },
    silentLog,
  );
}
