import type pg from 'pg';
import { WeirError } from '../errors/index.js';
import { createInstruments, databaseMetrics, observeGauges } from '../metrics/index.js';

const { statements, connections, connectionsMax, waiting } = createInstruments(databaseMetrics);

/** Counts a statement that has ended, and how. */
export function noteStatement(operation: string, startedMs: number, error?: unknown): void {
  const code = error === undefined ? undefined : error instanceof WeirError ? error.code : 'internal';
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
