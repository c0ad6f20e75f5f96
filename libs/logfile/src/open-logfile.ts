import { BatchBuilder } from './batch-builder.js';
import { ByteDecoder } from './byte-decoder.js';
import { HeaderReader } from './header-reader.js';
import { batchPointsMax } from './limits.js';
import { LineFilter } from './line-filter.js';
import { LineSource } from './line-source.js';
import type { LogfileColumn, LogfileCounts, LogfileOptions, LogfileReader, LogfileStep } from './logfile.js';
import { refuseUndelimited, sniffedBytes } from './not-delimited.js';
import { RecordScanner } from './record-scanner.js';
import { RowReader } from './row-reader.js';

const bytesStep: LogfileStep = { kind: 'bytes' };
const pauseStep: LogfileStep = { kind: 'pause' };
const endStep: LogfileStep = { kind: 'end' };
const noCounts: LogfileCounts = { rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };

/** Begins to read a file. */
export function openLogfile(options: LogfileOptions): LogfileReader {
  return new Reader(options);
}

class Reader implements LogfileReader {
  readonly #options: LogfileOptions;
  readonly #source = new LineSource();
  readonly #decoder: ByteDecoder;
  readonly #steps: Generator<LogfileStep, void, void>;
  #header: LogfileColumn[] = [];
  #rows: RowReader | undefined;

  constructor(options: LogfileOptions) {
    this.#options = options;
    this.#decoder = new ByteDecoder(options.configuration.encoding);
    this.#steps = this.#read();
  }

  next(): LogfileStep {
    let step = this.#steps.next().value ?? endStep;
    while (step.kind === 'pause' && this.#options.pauses !== true) step = this.#steps.next().value ?? endStep;
    return step;
  }

  push(chunk: Uint8Array): void {
    this.#decoder.push(chunk, this.#source.store);
  }

  end(): void {
    this.#decoder.end(this.#source.store);
    this.#source.isAll = true;
  }

  giveZone(instrumentName: string, zone: string | undefined): void {
    this.#rows?.giveZone(instrumentName, zone);
  }

  get columns(): readonly LogfileColumn[] {
    return this.#header.length > 0 ? this.#header : (this.#rows?.columns ?? []);
  }

  get counts(): LogfileCounts {
    return { ...noCounts, ...this.#rows?.counts };
  }

  get examinedBytes(): number {
    return this.#source.examinedBytes;
  }

  *#read(): Generator<LogfileStep, void, void> {
    const { configuration, pointsPerBatch = batchPointsMax } = this.#options;
    const source = this.#source;
    while (!source.isAll && source.store.end < sniffedBytes) yield bytesStep;
    const { encoding } = this.#decoder;
    if (encoding === undefined) throw new TypeError('The encoding is known after the first bytes.');
    refuseUndelimited(source.store.bytes, source.store.start, source.store.end);
    source.hasUtf8Marks = encoding.isUtf8;
    const filter = new LineFilter(configuration, encoding);
    const scanner = new RecordScanner(configuration.delimiter, configuration.quote === 'double');
    this.#header = yield* new HeaderReader(configuration, source, encoding, filter, scanner).read();
    const batch = new BatchBuilder(Math.min(pointsPerBatch, batchPointsMax));
    const rows = new RowReader(this.#options, this.#header, source, encoding, filter, scanner, batch);
    this.#rows = rows;
    for (;;) {
      const outcome = rows.next();
      if (outcome === 'needs_bytes') yield bytesStep;
      else if (outcome === 'end') break;
      else if (outcome === 'pause') yield pauseStep;
      else if (outcome !== 'read') yield { kind: 'zone', instrumentName: outcome.zoneOf };
      if (rows.isFull) yield { kind: 'batch', batch: rows.take(false) };
    }
    while (rows.isFull) yield { kind: 'batch', batch: rows.take(false) };
    yield { kind: 'batch', batch: rows.take(true) };
  }
}
