export { sqlInstant } from './arrays.js';
export type { ConstraintErrors } from './connections.js';
export { containsPattern } from './contains-pattern.js';
export type { Db, Pool, PoolView, Snapshot, Transaction } from './db.js';
export { indexWalks } from './index-walks.js';
export { openPool, type PoolOptions } from './pool.js';
export { requiredSchema } from './schema.js';
export { type Sql, sql } from './sql.js';
export { declaredStatements, type Statement, statement, statementBuilders } from './statement.js';
