import { windowRowsMax } from '@weir/expression';
import type { Transaction } from '@weir/kit/sql';
import { clipRanges } from '../domain/combine-ranges.js';
import { type DrivingInstants, instantsBefore } from '../domain/driving-instants.js';
import type { KnownSeries } from '../domain/known-series.js';
import { inputReads, type NeededRead } from '../domain/needed-reads.js';
import type { Ranges } from '../domain/ranges.js';
import { addBefore, readLast, readSeries } from './read-series.js';
import type { Slice, SliceLimits } from './slice.js';

/** A scan is begun for so many instants at least: a look-up at each costs as much as many observations. */
const scannedInstantsMin = 64;

/** Observations of one instant's windows that are held in memory: a processor survives whatever it is asked to compute. */
const heldRowsMax = 8_388_608;

/** A read of a slice, and what came of it. */
interface Reading {
  readonly slice: number;
  readonly read: NeededRead;
  readonly known: KnownSeries;
}

/** The instants themselves, as ranges. */
function instantsAlone({ pieces }: DrivingInstants, { startsUs, endsUs }: Ranges): Ranges {
  const first = startsUs[0] as number;
  const last = endsUs[endsUs.length - 1] as number;
  const all = pieces.flatMap(({ instantsUs }) => [...instantsUs]).filter((us) => us >= first && us < last);
  return { startsUs: Float64Array.from(all), endsUs: Float64Array.from(all, (us) => us + 1) };
}

/** Looks up at each instant what could not be read as a whole. */
async function readAtInstants(tx: Transaction, slices: readonly Slice[], readings: Reading[]): Promise<void> {
  const dense = [...readings.keys()].filter((i) => {
    const { read, known } = readings[i] as Reading;
    return !read.isWindowed && Number.isFinite(known.untilUs);
  });
  const reads = dense.map((i) => {
    const { slice, read } = readings[i] as Reading;
    return { ...read, ranges: instantsAlone((slices[slice] as Slice).driving, read.ranges) };
  });
  const known = await readSeries(
    tx,
    reads.map((read) => ({ ...read, limit: read.ranges.startsUs.length + 1 })),
  );
  dense.forEach((i, n) => {
    readings[i] = { ...(readings[i] as Reading), read: reads[n] as NeededRead, known: known[n] as KnownSeries };
  });
}

/** Reads the window of one instant alone, from its end: what is left out then is more than a window may hold. */
async function readOneWindow(tx: Transaction, { read }: Reading, atUs: number): Promise<KnownSeries> {
  const { startsUs } = read.ranges;
  const startUs = startsUs.findLast((us) => us <= atUs) ?? atUs;
  const asks = [{ variableKey: read.variableKey, startUs, endUs: atUs + 1 }];
  const [series] = await readLast(tx, asks, windowRowsMax + 1);
  return { ...(series as KnownSeries), untilUs: atUs + 1 };
}

/**
 * Reads what slices are evaluated from, and cuts them to the instants for which it was read. Windows that hold too many
 * observations to be read for several instants leave the first one alone, or none where `isPatient` is false.
 */
export async function readInputs(tx: Transaction, slices: Slice[], limits: SliceLimits): Promise<void> {
  const readings: Reading[] = [];
  const asked = slices.flatMap(({ claimed, ranges, driving }, slice) => {
    if (claimed.calculation === undefined || driving.count === 0) return [];
    const reached = clipRanges(ranges, Number.NEGATIVE_INFINITY, driving.untilUs);
    return inputReads(claimed.calculation, reached).map((read) => ({ slice, read }));
  });
  if (asked.length === 0) return;
  const limitOf = ({ slice, read }: { slice: number; read: NeededRead }): number => {
    if (read.isWindowed) return limits.windowRowsMax;
    const { count } = (slices[slice] as Slice).driving;
    return Math.ceil(limits.scannedRowsPerInstant * (count + scannedInstantsMin));
  };
  const found = await readSeries(
    tx,
    asked.map((ask) => ({ ...ask.read, limit: limitOf(ask) })),
  );
  asked.forEach((ask, i) => readings.push({ ...ask, known: found[i] as KnownSeries }));
  await readAtInstants(tx, slices, readings);

  for (const [number, ofSlice] of Map.groupBy([...readings.keys()], (i) => (readings[i] as Reading).slice)) {
    const slice = slices[number] as Slice;
    const untilUs = Math.min(...ofSlice.map((i) => (readings[i] as Reading).known.untilUs));
    const driving = instantsBefore(slice.driving, untilUs);
    slice.driving = driving;
    if (driving.count > 0) continue;
    const firstUs = slice.firstInstantUs;
    slice.isLarge = true;
    if (!limits.isPatient) continue;
    let held = 0;
    for (const i of ofSlice) {
      const reading = readings[i] as Reading;
      if (reading.known.untilUs > firstUs) continue;
      const known = await readOneWindow(tx, reading, firstUs);
      held += known.atUs.length;
      if (held > heldRowsMax) throw new Error(`the windows of one instant hold more than ${heldRowsMax} observations`);
      readings[i] = { ...reading, known };
    }
    slice.driving = instantsBefore(slice.allDriving, firstUs + 1);
  }

  const whole = await addBefore(
    tx,
    readings.map(({ read }) => read),
    readings.map(({ known }) => known),
  );
  readings.forEach(({ slice, read }, i) => {
    (slices[slice] as Slice).series.set(read.variableKey, whole[i] as KnownSeries);
  });
}
