import { Status } from 'nice-grpc-common';
import { errorCodes, WeirError } from '../errors/index.js';
import { createInstruments, rpcMetrics } from '../metrics/index.js';

const durations = createInstruments(rpcMetrics);

/** Counts a call that has ended, by the side of this process, and by the error that it ended with. */
export function noteCall(side: 'server' | 'client', method: string, startedMs: number, error?: unknown): void {
  const code = error === undefined ? undefined : error instanceof WeirError ? error.code : 'internal';
  durations[side].record((performance.now() - startedMs) / 1000, {
    'rpc.method': method,
    'rpc.response.status_code': code === undefined ? 'OK' : Status[errorCodes[code].grpc],
    'error.type': code,
  });
}
