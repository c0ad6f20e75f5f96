import { randomInt } from 'node:crypto';

/** Decides what is sent and what happens when; every run has another, and FAULT_SEED names one to try again. */
export const seed = Number(process.env['FAULT_SEED'] ?? randomInt(1_000_000));

/** With FAULT_LONG=1 PostgreSQL is away for a minute, not as long as it needs to show. */
export const isLong = process.env['FAULT_LONG'] === '1';
