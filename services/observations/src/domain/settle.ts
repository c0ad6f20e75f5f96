import { batchRunsMax } from '@weir/kit/ids';
import type { RunErrorCode } from '@weir/kit/run-codes';
import type { Points } from '@weir/points';
import { arrangeRows, type Rows } from './arrange-rows.js';
import { isInRange, type TriedPositions } from './channels-in-range.js';
import { fitsValueType, type Resolution, type ResolvedSeries } from './resolution.js';

/** A batch whose names are resolved. */
export interface BatchToSettle {
  /** Orders admissions: the stamp of a point is id * `batchRunsMax` + index. */
  readonly id: number;
  /** Empty for a message of the release before. Numbers are given again after a restore, these never. */
  readonly publicId: string;
  /** How often it was queued again. */
  readonly epoch: number;
  readonly projectId: string;
  readonly points: Points;
  /** The only points to settle; empty means all. */
  readonly indexes: readonly number[];
  /** By index, the only positions to settle where the others are stored; all of points that are not in it. */
  readonly tried: TriedPositions;
  /** By channel of the points. */
  readonly resolutions: readonly Resolution[];
  /** What `toVariableIds` makes of them. */
  readonly variableIds: Buffer;
  /** Instants after it are too far in the future. */
  readonly instantMaxUs: number;
}

/** A variable of a point that was not stored. */
export interface VariableFault {
  readonly position: number;
  readonly outcome: 'superseded' | 'failed';
  readonly code?: RunErrorCode;
}

/** What keeps a run from having stored all of its values. */
export interface RunFaults {
  /** The reason why none was stored. */
  readonly code?: RunErrorCode;
  readonly variables: VariableFault[];
}

/** A series that rows belong to. */
export interface RowSeries {
  readonly variableKey: number;
  readonly projectId: string;
  readonly instrumentId: string;
  readonly generation: number;
}

/** What to store, and what is known of the runs before it is stored. */
export interface Settlement {
  readonly rows: Rows;
  /** The series of the rows. */
  readonly series: readonly RowSeries[];
  readonly batches: readonly BatchToSettle[];
  /** By batch, what is wrong with its runs by their index. */
  readonly faults: readonly Map<number, RunFaults>[];
  /** The value that a row holds, by its number. */
  originOf(row: number): ValueOrigin;
}

/** A value by its place: batch by its number in `batches`, point by its index, position in the point. */
export interface ValueOrigin {
  readonly batch: number;
  readonly index: number;
  readonly position: number;
}

/** The indexes of the points of a batch that are to be settled. */
export function indexesOf(batch: BatchToSettle): readonly number[] {
  return batch.indexes.length === 0 ? Array.from({ length: batch.points.count }, (_, index) => index) : batch.indexes;
}

/** Notes that a value was not stored. */
export function addVariableFault(faults: Map<number, RunFaults>, index: number, fault: VariableFault): void {
  const run = faults.get(index);
  if (run === undefined) faults.set(index, { variables: [fault] });
  else run.variables.push(fault);
}

/** Collects the values that may be stored. */
class AcceptedValues {
  count = 0;
  readonly series: RowSeries[] = [];
  readonly slots: Uint32Array;
  readonly instantsUs: Float64Array;
  readonly values: Float64Array;
  readonly admitted: Float64Array;
  readonly batches: Uint32Array;
  readonly positions: Uint16Array;
  readonly #slotOf = new Map<number, number>();

  constructor(capacity: number) {
    this.slots = new Uint32Array(capacity);
    this.instantsUs = new Float64Array(capacity);
    this.values = new Float64Array(capacity);
    this.admitted = new Float64Array(capacity);
    this.batches = new Uint32Array(capacity);
    this.positions = new Uint16Array(capacity);
  }

  slotOf(projectId: string, { variableKey, instrumentId, generation }: ResolvedSeries): number {
    let slot = this.#slotOf.get(variableKey);
    if (slot === undefined) {
      slot = this.series.push({ variableKey, projectId, instrumentId, generation }) - 1;
      this.#slotOf.set(variableKey, slot);
    }
    return slot;
  }

  add(slot: number, instantUs: number, value: number, admitted: number, batch: number, position: number): void {
    const i = this.count++;
    this.slots[i] = slot;
    this.instantsUs[i] = instantUs;
    // -0 is stored as 0
    this.values[i] = value + 0;
    this.admitted[i] = admitted;
    this.batches[i] = batch;
    this.positions[i] = position;
  }
}

/**
 * What a point lacks of whose tried values none has an instrument. Values that an earlier attempt has stored are stored still, and
 * their run says so, though its instrument be archived until the others are asked for again.
 */
function lackingInstrument(
  resolutions: readonly Resolution[],
  channels: Uint32Array,
  tried: ReadonlySet<number> | undefined,
) {
  const found = Array.from(channels, (channel) => resolutions[channel]).filter((_, at) => tried?.has(at) !== false);
  if (found.some((resolution) => resolution?.kind === 'series')) return undefined;
  return found.find((resolution) => resolution?.kind === 'no_instrument');
}

function settleBatch(batch: BatchToSettle, number: number, accepted: AcceptedValues): Map<number, RunFaults> {
  const { points, resolutions } = batch;
  const faults = new Map<number, RunFaults>();
  const slots = resolutions.map((found) => (found.kind === 'series' ? accepted.slotOf(batch.projectId, found) : -1));
  for (const index of indexesOf(batch)) {
    // a batch that was damaged may name points that it does not have
    if (index >= points.count) continue;
    const instantUs = points.instantsUs[index] as number;
    const start = points.valueStarts[index] as number;
    const end = points.valueStarts[index + 1] as number;
    const tried = batch.tried.get(index);
    const first = resolutions[points.valueChannels[start] as number];
    const lacking =
      first?.kind === 'no_instrument'
        ? lackingInstrument(resolutions, points.valueChannels.subarray(start, end), tried)
        : undefined;
    if (lacking !== undefined) {
      faults.set(index, { code: lacking.code, variables: [] });
      continue;
    }
    if (!isInRange(instantUs, batch.instantMaxUs)) {
      faults.set(index, { code: 'timestamp_out_of_range', variables: [] });
      continue;
    }
    const stamp = batch.id * batchRunsMax + index;
    for (let i = start; i < end; i++) {
      const channel = points.valueChannels[i] as number;
      const found = resolutions[channel] as Resolution;
      const value = points.values[i] as number;
      const position = i - start;
      if (tried?.has(position) === false) continue;
      if (found.kind !== 'series') {
        addVariableFault(faults, index, { position, outcome: 'failed', code: found.code });
      } else if (!fitsValueType(value, found.valueType)) {
        addVariableFault(faults, index, { position, outcome: 'failed', code: 'value_type_mismatch' });
      } else {
        accepted.add(slots[channel] as number, instantUs, value, stamp, number, position);
      }
    }
  }
  return faults;
}

/**
 * Decides what becomes of the points of batches: which values are stored, and which are not and
 * why. Of values for one variable and instant the last admitted is stored, and the others are
 * superseded; so the result is the same however points are spread over batches and merges.
 */
export function settle(unordered: readonly BatchToSettle[]): Settlement {
  const batches = [...unordered].sort((a, b) => a.id - b.id);
  const accepted = new AcceptedValues(batches.reduce((sum, { points }) => sum + points.values.length, 0));
  const faults = batches.map((batch, number) => settleBatch(batch, number, accepted));
  const { rows, origins, superseded } = arrangeRows({
    ...accepted,
    count: accepted.count,
    variableKeys: accepted.series.map(({ variableKey }) => variableKey),
  });
  const place = (value: number): ValueOrigin => ({
    batch: accepted.batches[value] as number,
    index: (accepted.admitted[value] as number) % batchRunsMax,
    position: accepted.positions[value] as number,
  });
  for (const value of superseded) {
    const { batch, index, position } = place(value);
    addVariableFault(faults[batch] as Map<number, RunFaults>, index, { position, outcome: 'superseded' });
  }
  return { rows, series: accepted.series, batches, faults, originOf: (row) => place(origins[row] as number) };
}
