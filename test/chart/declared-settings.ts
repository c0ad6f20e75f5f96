import { settings as access } from '@weir/access/config';
import { settings as dashboards } from '@weir/dashboards/config';
import { settings as gateway } from '@weir/gateway/config';
import { settings as ingestion } from '@weir/ingestion/config';
import type { Settings } from '@weir/kit/config';
import { processorSettings, querySettings } from '@weir/observations/config';
import { settings as parsers } from '@weir/parsers/config';
import { settings as variables } from '@weir/variables/config';

/** What the process of each role declares that may be set. */
export const declaredSettings: Readonly<Record<string, Settings>> = {
  gateway,
  access,
  variables,
  dashboards,
  parsers,
  ingestion,
  observations: querySettings,
  processor: processorSettings,
};

/** The roles that the chart runs. */
export const roles = Object.keys(declaredSettings);

const made =
  /^(LISTEN_ADDRESS|TLS_[A-Z]+_FILE|METRICS_ADDRESS|[A-Z]+_ADDRESS|DRAIN_MS|GATEWAY_REPLICAS|RPC_PLAIN|NATS_.*|REDIS_.*)$/;

/** Whether the chart makes a setting itself, out of other values, so that none may be given for it. */
export function isMadeByChart({ env, secret }: Settings[string]): boolean {
  return secret === true || made.test(env);
}
