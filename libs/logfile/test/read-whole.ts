import type { ParserConfiguration } from '@weir/parser-configuration';
import {
  type LogfileBatch,
  type LogfileColumn,
  type LogfileCounts,
  type LogfilePoint,
  openLogfile,
  pointsOf,
  type RowError,
} from '../src/index.js';

/** Everything that a file gives. */
export interface WholeFile {
  readonly points: LogfilePoint[];
  readonly errors: RowError[];
  readonly missing: { line: number; variable: string }[];
  readonly counts: LogfileCounts;
  readonly batches: LogfileBatch[];
  readonly columns: readonly LogfileColumn[];
  readonly examinedBytes: number;
}

export interface WholeFileOptions {
  readonly fileName?: string;
  readonly zone?: string;
  readonly pointsPerBatch?: number;
}

/** Reads chunks to the end, in one go. */
export function readWhole(
  chunks: Iterable<Uint8Array>,
  configuration: ParserConfiguration,
  { fileName = 'file.csv', zone, pointsPerBatch = 1000 }: WholeFileOptions = {},
): WholeFile {
  const points: LogfilePoint[] = [];
  const errors: RowError[] = [];
  const missing: { line: number; variable: string }[] = [];
  const batches: LogfileBatch[] = [];
  const onMissing = (line: number, variable: string): number => missing.push({ line, variable });
  const reader = openLogfile({ configuration, fileName, pointsPerBatch, onMissing });
  const iterator = chunks[Symbol.iterator]();
  for (;;) {
    const step = reader.next();
    if (step.kind === 'end') break;
    if (step.kind === 'bytes') {
      const next = iterator.next();
      if (next.done) reader.end();
      else reader.push(next.value);
    } else if (step.kind === 'zone') reader.giveZone(step.instrumentName, zone);
    else if (step.kind === 'batch') {
      batches.push(step.batch);
      points.push(...pointsOf(step.batch.points));
      errors.push(...step.batch.errors);
    }
  }
  return {
    points,
    errors,
    missing,
    counts: reader.counts,
    batches,
    columns: reader.columns,
    examinedBytes: reader.examinedBytes,
  };
}

/** A text in chunks of a size. */
export function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
