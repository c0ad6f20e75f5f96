import type { Logger } from '@weir/kit/log';

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

/** The events as lines of a log. */
export function catalogEvents(log: Logger): CatalogEvents {
  return {
    provisioned({ projectId, connectionId, instruments, variables }) {
      log.info({ project_id: projectId, connection_id: connectionId, instruments, variables }, 'provisioned');
    },
  };
}
