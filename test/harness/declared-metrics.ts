import { metrics as access } from '@weir/access/metrics';
import { metrics as gateway } from '@weir/gateway/metrics';
import { metrics as ingestion } from '@weir/ingestion/metrics';
import { databaseMetrics, type Metrics, processMetrics, rpcMetrics } from '@weir/kit/metrics';
import { metrics as processor } from '@weir/observations/metrics';
import { metrics as variables } from '@weir/variables/metrics';

/** Every declared metric, by who has it. */
export const declaredMetrics: Readonly<Record<string, Metrics>> = {
  'Every process': { ...processMetrics, ...rpcMetrics },
  'Every process with a database': databaseMetrics,
  gateway,
  access,
  variables,
  ingestion,
  processor,
};
