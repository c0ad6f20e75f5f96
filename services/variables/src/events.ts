import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import { metrics } from './metrics.js';

/** What is worth counting in the catalog, one function an event. */
export interface CatalogEvents {
  /** Points brought names that were not there, and they were created. */
  provisioned(event: {
    readonly projectId: string;
    readonly connectionId: string;
    readonly instruments: number;
    readonly variables: number;
  }): void;
}

/** Counts the events and writes them into a log. */
export function catalogEvents(log: Logger): CatalogEvents {
  const counted = createInstruments(metrics);
  return {
    provisioned({ projectId, connectionId, instruments, variables }) {
      counted.provisioned.add(instruments, { 'weir.record': 'instrument' });
      counted.provisioned.add(variables, { 'weir.record': 'variable' });
      log.info({ project_id: projectId, connection_id: connectionId, instruments, variables }, 'provisioned');
    },
  };
}
