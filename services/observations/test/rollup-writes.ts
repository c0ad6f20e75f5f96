import type { Transaction } from '@weir/kit/sql';
import { bigintArray, doubleArray, instantArray } from '../src/store/binary.js';
import { noteChanges } from '../src/store/changes.js';
import { upsertObservations } from '../src/store/observations.js';
import type { Observation } from './aggregate-model.js';

let admitted = 1;

/** Stores values as a processor does: with a change, in one transaction. */
export async function write(tx: Transaction, variableKey: number, rows: readonly Observation[]): Promise<void> {
  const instants = rows.map(([at]) => at);
  await upsertObservations.run(tx, {
    variableKeys: bigintArray(Float64Array.from(rows, () => variableKey)),
    instants: instantArray(Float64Array.from(instants)),
    values: doubleArray(Float64Array.from(rows, ([, value]) => value)),
    admitted: bigintArray(Float64Array.from(rows, () => admitted++)),
  });
  await noteChanges.run(tx, {
    variableKeys: bigintArray(Float64Array.of(variableKey)),
    firstInstants: instantArray(Float64Array.of(instants.reduce((a, b) => Math.min(a, b)))),
    lastInstants: instantArray(Float64Array.of(instants.reduce((a, b) => Math.max(a, b)))),
    risenKeys: bigintArray(new Float64Array()),
    risenInstants: instantArray(new Float64Array()),
  });
}
