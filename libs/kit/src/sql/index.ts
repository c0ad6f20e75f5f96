export { sqlInstant } from './arrays.js';
export { containsPattern } from './contains-pattern.js';
export { indexWalks } from './index-walks.js';
export {
  type ConstraintErrors,
  type Db,
  openPool,
  type Pool,
  type PoolOptions,
  type PoolView,
  type Snapshot,
  type Transaction,
} from './pool.js';
export { requiredSchema } from './schema.js';
export { type Sql, sql } from './sql.js';
export { declaredStatements, type Statement, statement, statementBuilders } from './statement.js';
