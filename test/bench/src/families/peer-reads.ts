import { type Bench, openBench } from '../bench.js';
import { type InfluxDb, startInfluxDb } from '../peers/influxdb.js';
import { type Family, quotient, type Trial } from '../ratio.js';
import { type StoredSeries, storedInstant, storedStart, storeSeries } from '../stored-series.js';
import { timeQueries } from '../timed-queries.js';

const variables = 10;
const perSeries = 100_000;
const buckets = 1000;
const linesAtOnce = 10_000;

/** Gives InfluxDB what the database of Weir has, digit for digit. */
async function copySeries({ sql }: Bench, influx: InfluxDb, series: readonly StoredSeries[]): Promise<void> {
  for (const { variableKey } of series) {
    const { rows } = await sql.query<{ ms: string; value: number }>(
      `select (extract(epoch from at) * 1000)::bigint as ms, value from observations.observations
       where variable_key = $1 order by at`,
      [variableKey],
    );
    const lines = rows.map(({ ms, value }) => `stored,site=main,variable=v${variableKey} value=${value} ${ms}`);
    for (let at = 0; at < lines.length; at += linesAtOnce)
      await influx.write(lines.slice(at, at + linesAtOnce).join('\n'));
  }
}

type Columns = Readonly<Record<'mean' | 'min' | 'max', readonly number[]>>;

const isNear = (ours: number | undefined, theirs: number | null | undefined): boolean =>
  typeof ours === 'number' && typeof theirs === 'number' && Math.abs(ours - theirs) <= 1e-9 * Math.abs(theirs);

/** Requires that both say the same of every bucket, extremes exactly. */
function assertSame(ours: Columns, theirs: Awaited<ReturnType<InfluxDb['query']>>): void {
  const differs = theirs.findIndex(
    ([, mean, min, max], i) => !isNear(ours.mean[i], mean) || ours.min[i] !== min || ours.max[i] !== max,
  );
  if (theirs.length === buckets && ours.mean.length === buckets && differs === -1) return;
  throw new Error(`${ours.mean.length} and ${theirs.length} buckets, and the one at ${differs} differs`);
}

async function openTrials(influx: InfluxDb, opening: AsyncDisposableStack): Promise<Record<string, Trial>> {
  const bench = opening.use(await openBench());
  const series = await storeSeries(bench, { instrument: 'stored', variables, count: perSeries, stepS: 1 });
  await copySeries(bench, influx, series);
  const end = storedInstant(perSeries, 1);
  const askWeir = async (number: number): Promise<Columns> => {
    const { variableId } = series[number % variables] as StoredSeries;
    const query = `variable_id=${variableId}&interval=PT100S&aggregation=mean,min,max&limit=10000&start=${storedStart}&end=${end}`;
    const url = `${bench.origin}/dev-api/v1/p/${bench.projectId}/observations?${query}`;
    const answer = await fetch(url, { headers: bench.developerHeaders });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: { items: [Columns] } }).data.items[0];
  };
  const askInflux = async (number: number) => {
    const { variableKey } = series[number % variables] as StoredSeries;
    return await influx.query(
      `select mean(value), min(value), max(value) from stored where variable = 'v${variableKey}'
         and time >= '${storedStart}' and time < '${end}' group by time(100s)`,
    );
  };
  for (let number = 0; number < variables; number++) assertSame(await askWeir(number), await askInflux(number));
  return { Weir: () => timeQueries(askWeir), InfluxDB: () => timeQueries(askInflux) };
}

/** The query of R1 beside InfluxDB. */
export const peerReads: Family = {
  name: 'reads beside InfluxDB',
  ratios: [
    {
      id: 'R2',
      what: '100,000 observations in 1,000 buckets through the gateway ÷ by InfluxDB',
      goal: 1,
      stretch: 1.5,
      of: (r) => quotient(r['Weir']?.['queriesPerSecond'], r['InfluxDB']?.['queriesPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const influx = await startInfluxDb();
    const trials = influx === undefined ? {} : await openTrials(opening.use(influx), opening);
    const open = opening.move();
    return { trials, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
