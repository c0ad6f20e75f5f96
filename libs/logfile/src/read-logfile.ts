import type { LogfileBatch, LogfileOptions, LogfileReader } from './logfile.js';
import { openLogfile } from './open-logfile.js';

/** How the zones of instruments are told while a file is read. */
export interface ZoneSource {
  /**
   * The zone of an instrument's site, undefined for UTC. Asked at most once per instrument, and never where the
   * configuration or the file tells the zone.
   */
  readonly zoneOf: (instrumentName: string) => string | undefined | Promise<string | undefined>;
}

/**
 * Reads a file to its end, batch by batch, as fast as the batches are taken.
 *
 * @throws LogfileRefused before the first batch, when the file cannot be read at all
 */
export async function* readLogfile(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: LogfileOptions & ZoneSource,
): AsyncGenerator<LogfileBatch, void, undefined> {
  const reader = openLogfile({ ...options, pauses: true });
  for await (const chunk of chunks) {
    reader.push(chunk);
    yield* batchesOf(reader, options);
  }
  reader.end();
  yield* batchesOf(reader, options);
}

/** What can be read before more bytes are needed. */
async function* batchesOf(reader: LogfileReader, { zoneOf }: ZoneSource): AsyncGenerator<LogfileBatch> {
  for (let step = reader.next(); ; step = reader.next()) {
    if (step.kind === 'batch') yield step.batch;
    else if (step.kind === 'zone') reader.giveZone(step.instrumentName, await zoneOf(step.instrumentName));
    else if (step.kind === 'pause') await nextTurn();
    else return;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
