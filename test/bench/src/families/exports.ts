import { spawn } from 'node:child_process';
import { findProgram } from '@weir/stack';
import { type Bench, openBench } from '../bench.js';
import { type Family, quotient, type Sample, type Trial } from '../ratio.js';
import { type StoredSeries, storeSeries } from '../stored-series.js';

const count = 1_000_000;
const newline = 10;

/** Reads a text to its end, which must have so many lines, and measures. */
async function timeLines(chunks: AsyncIterable<Uint8Array>, expected: number): Promise<Sample> {
  const startedMs = performance.now();
  let lines = 0;
  for await (const chunk of chunks) for (const byte of chunk) if (byte === newline) lines++;
  if (lines !== expected) throw new Error(`${lines} lines instead of ${expected}`);
  return { rowsPerSecond: (count / (performance.now() - startedMs)) * 1000 };
}

async function exportCsv({ origin, projectId, developerHeaders }: Bench, { variableId }: StoredSeries) {
  const url = `${origin}/dev-api/v1/p/${projectId}/observations/export?variable_id=${variableId}`;
  const answer = await fetch(url, { headers: developerHeaders });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url}: ${answer.status}`);
  return await timeLines(answer.body, count + 1);
}

async function copyCsv(psql: string, { databaseUrl }: Bench, { variableKey }: StoredSeries) {
  const rows = `select at, value from observations.observations where variable_key = ${variableKey} order by at`;
  const child = spawn(psql, [databaseUrl, '-c', `copy (${rows}) to stdout (format csv)`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return await timeLines(child.stdout, count);
}

/** Exports beside what the database's own client writes. */
export const exports: Family = {
  name: 'exports',
  ratios: [
    {
      id: 'R11',
      what: 'rows of an export as CSV through the gateway ÷ by psql, COPY',
      of: (r) => quotient(r['export']?.['rowsPerSecond'], r['COPY by psql']?.['rowsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const [series] = await storeSeries(bench, { instrument: 'long', variables: 1, count, stepS: 1 });
    if (series === undefined) throw new Error('there is no series');
    const psql = findProgram('psql');
    const trials: Record<string, Trial> = { export: () => exportCsv(bench, series) };
    if (psql !== undefined) trials['COPY by psql'] = () => copyCsv(psql, bench, series);
    const open = opening.move();
    return { trials, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
