import type pg from 'pg';
import { WeirError } from '../errors/index.js';
import { createInstruments, databaseMetrics, observeGauges } from '../metrics/index.js';

const { statements, connections, connectionsMax, waiting } = createInstruments(databaseMetrics);

/** What a failure is counted as. */
export function codeOf(error: unknown): string {
  return error instanceof WeirError ? error.code : 'internal';
}

/** Counts a statement that has ended, and the code of why it failed. */
export function noteStatement(operation: string, startedMs: number, code?: string): void {
  statements.record((performance.now() - startedMs) / 1000, { 'db.operation.name': operation, 'error.type': code });
}

/** Tells how full a pool is whenever somebody asks, until disposed. */
export function observePool(pool: pg.Pool, name: string): Disposable {
  const ofPool = { 'db.client.connection.pool.name': name };
  return observeGauges([connections, connectionsMax, waiting], () => {
    const { idleCount, totalCount, waitingCount, options } = pool;
    connections.set(idleCount, { ...ofPool, 'db.client.connection.state': 'idle' });
    connections.set(totalCount - idleCount, { ...ofPool, 'db.client.connection.state': 'used' });
    connectionsMax.set(options.max, ofPool);
    waiting.set(waitingCount, ofPool);
  });
}
