import type { LogfileOptions, LogfileReader } from './logfile.js';

/** Begins to read a file. */
export declare function openLogfile(options: LogfileOptions): LogfileReader;
