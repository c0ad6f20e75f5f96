import { type LogfileBatch, type LogfileOptions, openLogfile } from '../src/index.js';

/** Reads a file to its end, batch by batch, and gives others their turn where the reader asks for it. */
export async function* readLogfile(
  bytes: Uint8Array,
  options: LogfileOptions,
  zoneOf?: (instrumentName: string) => Promise<string | undefined>,
): AsyncGenerator<LogfileBatch> {
  const reader = openLogfile({ ...options, pauses: true });
  let isGiven = false;
  for (let step = reader.next(); step.kind !== 'end'; step = reader.next()) {
    if (step.kind === 'batch') yield step.batch;
    else if (step.kind === 'zone') reader.giveZone(step.instrumentName, await zoneOf?.(step.instrumentName));
    else if (step.kind === 'pause') await new Promise((resolve) => setImmediate(resolve));
    else if (isGiven) reader.end();
    else {
      reader.push(bytes);
      isGiven = true;
    }
  }
}
