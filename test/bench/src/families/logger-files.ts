import { Readable } from 'node:stream';
import { openLogfile, timestampReader } from '@weir/logfile';
import { parserConfiguration } from '@weir/parser-configuration';
import { parse } from 'csv-parse';
import { DateTime } from 'luxon';
import { type Family, quotient, type Sample } from '../ratio.js';

const format = 'yyyy-MM-dd HH:mm:ss';
const rows = 800_000;
const chunkBytes = 65_536;
const variables = ['A', 'B', 'C', 'D'];
const startMs = Date.UTC(2026, 0, 1);

const instantText = (row: number): string =>
  new Date(startMs + row * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** A file of about 50 MB; with quotes around the times unless `quote` is empty. */
function fileOf(quote: string): Buffer {
  const lines = ['TIMESTAMP,RECORD,A,B,C,D'];
  for (let row = 0; row < rows; row++) {
    const value = (row % 10_007) / 100;
    lines.push(`${quote}${instantText(row)}${quote},${row},${value},${value + 1},${-value},12.${row % 1000}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n`);
}

const configuration = parserConfiguration.parse({
  timestamp_order: 'oldest_first',
  delimiter: 'comma',
  decimal_separator: 'dot',
  header: { present: true, row_number: 1 },
  timestamp: { columns: [{ header_name: 'TIMESTAMP' }], input_format: format, timezone: 'UTC' },
  instrument: { name_source: 'fixed', name: 'logger' },
  missing_value_markers: ['NAN'],
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: variables.map((name) => ({ source_column: { header_name: name }, variable_name: name })),
  },
});

function* chunksOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
}

/** Reads a file into columns, times and numbers included. @returns what was read, to be compared */
function readOurs(file: Buffer): { readonly points: number; readonly sum: number } {
  const reader = openLogfile({ configuration, fileName: 'logger.csv' });
  const chunks = chunksOf(file);
  let points = 0;
  let sum = 0;
  for (;;) {
    const step = reader.next();
    if (step.kind === 'end') return { points, sum };
    if (step.kind === 'bytes') {
      const chunk = chunks.next();
      if (chunk.done) reader.end();
      else reader.push(chunk.value);
    } else if (step.kind === 'batch') {
      points += step.batch.points.count;
      for (const value of step.batch.points.values) sum += value;
    }
  }
}

/** The same file split into texts alone, as csv-parse streams it. */
async function readTheirs(file: Buffer): Promise<number> {
  let records = 0;
  for await (const _ of Readable.from(chunksOf(file)).pipe(parse({ from_line: 2 }))) records++;
  return records;
}

async function megabytesPerSecond(file: Buffer, read: (file: Buffer) => unknown): Promise<Sample> {
  const startedMs = performance.now();
  await read(file);
  return { megabytesPerSecond: file.length / 1000 / (performance.now() - startedMs) };
}

function stampsPerSecond(texts: readonly string[], read: (text: string) => unknown): Sample {
  const startedMs = performance.now();
  let count = 0;
  while (performance.now() - startedMs < 1000) {
    for (const text of texts) read(text);
    count += texts.length;
  }
  return { stampsPerSecond: (count / (performance.now() - startedMs)) * 1000 };
}

/** The columns are those of the texts: every row, and the sum of all values to the last bit that adding in order gives. */
function requireRight(file: Buffer): void {
  let sum = 0;
  for (const line of file.toString().split('\r\n').slice(1, -1)) {
    for (const cell of line.split(',').slice(2)) sum += Number(cell);
  }
  const read = readOurs(file);
  if (read.points !== rows || read.sum !== sum) throw new Error(`${JSON.stringify(read)} instead of ${rows}, ${sum}`);
}

/** Files of loggers into columns, beside what others need to split them into texts. */
export const loggerFiles: Family = {
  name: 'files of loggers',
  ratios: [
    {
      id: 'C2',
      what: 'bytes of a plain file into columns ÷ into records by csv-parse',
      goal: 3,
      stretch: 8,
      of: (r) => quotient(r['plain file']?.['megabytesPerSecond'], r['plain file, csv-parse']?.['megabytesPerSecond']),
    },
    {
      id: 'C2q',
      what: 'the same with quotes around the times',
      goal: 1,
      of: (r) =>
        quotient(r['quoted file']?.['megabytesPerSecond'], r['quoted file, csv-parse']?.['megabytesPerSecond']),
    },
    {
      id: 'C3',
      what: 'timestamps by a format ÷ by luxon',
      goal: 50,
      stretch: 100,
      of: (r) => quotient(r['timestamps']?.['stampsPerSecond'], r['timestamps, luxon']?.['stampsPerSecond']),
    },
  ],
  open: () => {
    const plain = fileOf('');
    const quoted = fileOf('"');
    requireRight(plain);
    const texts = Array.from({ length: 2000 }, (_, row) => instantText(row * 7919));
    const read = timestampReader(format);
    for (const text of texts) {
      const theirs = DateTime.fromFormat(text, format, { zone: 'utc' }).toMillis() * 1000;
      if (read(text) !== theirs) throw new Error(`${text} is ${read(text)} here and ${theirs} there`);
    }
    return Promise.resolve({
      trials: {
        'plain file': () => megabytesPerSecond(plain, readOurs),
        'plain file, csv-parse': () => megabytesPerSecond(plain, readTheirs),
        'quoted file': () => megabytesPerSecond(quoted, readOurs),
        'quoted file, csv-parse': () => megabytesPerSecond(quoted, readTheirs),
        timestamps: () => Promise.resolve(stampsPerSecond(texts, read)),
        'timestamps, luxon': () =>
          Promise.resolve(stampsPerSecond(texts, (text) => DateTime.fromFormat(text, format, { zone: 'utc' }))),
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};
