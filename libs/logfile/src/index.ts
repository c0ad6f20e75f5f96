/**
 * Reads the files of loggers by a parser's configuration: bytes in, points and row errors out, in
 * batches. Pure: no file, no network, no clock.
 */
export type {
  LogfileBatch,
  LogfileColumn,
  LogfileCounts,
  LogfileOptions,
  LogfilePoint,
  LogfileReader,
  LogfileStep,
  PointColumns,
} from './logfile.js';
export { openLogfile } from './open-logfile.js';
export { pointsOf } from './points-of.js';
export { LogfileRefused, type RefusalCode } from './refusal.js';
export type { RowError, RowErrorCode } from './row-error.js';
export { timestampReader } from './time/timestamp-reader.js';
