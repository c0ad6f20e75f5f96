import { type Bench, openBench } from '../bench.js';
import { type Family, quotient, type Round } from '../ratio.js';
import { type StoredSeries, storedInstant, storedStart, storeSeries, untilRolledUp } from '../stored-series.js';
import { timeQueries } from '../timed-queries.js';

const perSeries = 100_000;
const shortVariables = 10;
const minutesOfYear = 525_600;
const longCount = 10_000_000;

interface Answer {
  /** Of `latest`, one observation each. */
  readonly items: readonly { readonly timestamps?: readonly string[] }[];
  readonly next_cursor: string | null;
}

/** Asks the gateway for observations, and requires so many. */
async function ask({ origin, projectId, developerHeaders }: Bench, query: string, count?: number): Promise<Answer> {
  const url = `${origin}/dev-api/v1/p/${projectId}/observations${query}`;
  const answer = await fetch(url, { headers: developerHeaders });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
  const { data } = JSON.parse(text) as { data: Answer };
  const found = data.items.reduce((sum, { timestamps }) => sum + (timestamps?.length ?? 1), 0);
  if (count !== undefined && found !== count) throw new Error(`${url}: ${found} instead of ${count}`);
  return data;
}

/** What the database alone does for the same answer: mean, least and greatest by buckets of a fixed length. */
const bucketsSql = {
  name: 'buckets',
  text: `select json_agg(extract(epoch from bucket)), json_agg(mean), json_agg(least), json_agg(greatest) from (
      select date_bin($2::interval, at, '2000-01-01+00') as bucket, avg(value) as mean, min(value) as least, max(value) as greatest
      from (
        select at, value from observations.observations
        where variable_key = $1 and at >= $3::timestamptz and at < $4::timestamptz order by at
      ) as sorted
      group by bucket order by bucket
    ) as found`,
};
const zoneDaysSql = {
  name: 'days',
  text: `select json_agg(extract(epoch from bucket)), json_agg(mean) from (
      select date_trunc('day', at, 'Europe/Zurich') as bucket, avg(value) as mean
      from observations.observations where variable_key = $1 and at >= $2::timestamptz and at < $3::timestamptz
      group by bucket order by bucket
    ) as found`,
};
const pageSql = {
  name: 'page',
  text: 'select at, value from observations.observations where variable_key = $1 and at >= $2::timestamptz order by at limit 10000',
};
const latestSql = {
  name: 'latest',
  text: `select key, latest.at, latest.value from unnest($1::bigint[]) as key
    join observations.series on series.variable_key = key
    cross join lateral (
      select at, value from observations.observations where variable_key = key and at <= series.last_at order by at desc limit 1
    ) as latest`,
};

const speed = (round: Round, trial: string): number | undefined => round[trial]?.['queriesPerSecond'];
const against = (ours: string, theirs: string) => (round: Round) => quotient(speed(round, ours), speed(round, theirs));

async function openTrials() {
  await using opening = new AsyncDisposableStack();
  const bench = opening.use(await openBench({ envOf: { processor: { ROLLUP_INTERVAL_MS: '1000' } } }));
  const short = await storeSeries(bench, {
    instrument: 'short',
    variables: shortVariables,
    count: perSeries,
    stepS: 1,
  });
  const many = await storeSeries(bench, { instrument: 'many', variables: 50, count: 1000, stepS: 60 });
  const year = await storeSeries(bench, { instrument: 'year', variables: 1, count: minutesOfYear, stepS: 60 });
  const long = await storeSeries(bench, { instrument: 'long', variables: 1, count: longCount, stepS: 1 });
  const [first] = short as [StoredSeries];
  const [minutes] = year as [StoredSeries];
  const [seconds] = long as [StoredSeries];
  const yearEnd = storedInstant(minutesOfYear, 60);
  const longEnd = storedInstant(longCount, 1);
  // one that starts looks at every series; one that runs has seen these with a single observation, and waits a while
  await bench.stack.kill('processor-1');
  await bench.stack.restart('processor-1');
  await untilRolledUp(bench, [minutes], storedInstant(minutesOfYear - 1440, 60));
  await untilRolledUp(bench, [seconds], storedInstant(longCount - 86_400, 1));
  const range = (end: string, start = storedStart): string => `&start=${start}&end=${end}`;
  const buckets =
    ({ variableKey }: StoredSeries, interval: string, end: string) =>
    () =>
      bench.sql.query({ ...bucketsSql, values: [variableKey, interval, storedStart, end] });
  const three = '&aggregation=mean,min,max';
  const of = ({ variableId }: StoredSeries): string => `?variable_id=${variableId}`;
  let deep = '';
  for (let depth = 0; depth < 90; depth++) {
    const { next_cursor } = await ask(bench, `${of(first)}&limit=1000${deep}`, 1000);
    deep = `&cursor=${encodeURIComponent(next_cursor ?? '')}`;
  }
  const shortEnd = storedInstant(perSeries, 1);
  const ids = many.map(({ variableId }) => variableId).join(',');
  const keys = many.map(({ variableKey }) => variableKey);
  const open = opening.move();
  return {
    trials: {
      'buckets, gateway': () =>
        timeQueries(() => ask(bench, `${of(first)}&interval=PT100S&limit=10000${three}${range(shortEnd)}`, 1000)),
      'buckets, SQL': () => timeQueries(buckets(first, '100 seconds', shortEnd)),
      'page, gateway': () =>
        timeQueries((i) => ask(bench, `${of(short[i % shortVariables] as StoredSeries)}&limit=10000`, 10_000)),
      'page, SQL': () =>
        timeQueries((i) =>
          bench.sql.query({
            ...pageSql,
            values: [(short[i % shortVariables] as StoredSeries).variableKey, storedStart],
          }),
        ),
      'first page': () => timeQueries(() => ask(bench, `${of(first)}&limit=1000`, 1000)),
      'page at depth 90,000': () => timeQueries(() => ask(bench, `${of(first)}&limit=1000${deep}`, 1000)),
      'day by minute, gateway': () =>
        timeQueries(() =>
          ask(bench, `${of(seconds)}&interval=PT1M&limit=10000${range(storedInstant(86_400, 1))}`, 1440),
        ),
      'day by minute, SQL': () => timeQueries(buckets(seconds, '1 minute', storedInstant(86_400, 1))),
      'year by day in a zone, gateway': () =>
        timeQueries(() =>
          ask(bench, `${of(minutes)}&interval=P1D&timezone=Europe/Zurich&limit=10000${range(yearEnd)}`, 366),
        ),
      'year by day in a zone, SQL': () =>
        timeQueries(() => bench.sql.query({ ...zoneDaysSql, values: [minutes.variableKey, storedStart, yearEnd] })),
      'latest of 50, gateway': () => timeQueries(() => ask(bench, `/latest?variable_id=${ids}`, 50)),
      'latest of 50, SQL': () => timeQueries(() => bench.sql.query({ ...latestSql, values: [keys] })),
      'auto of 10,000,000, gateway': () =>
        timeQueries(() => ask(bench, `${of(seconds)}&interval=auto&max_points=1000${range(longEnd)}`)),
      'scan of 10,000,000, SQL': () => timeQueries(buckets(seconds, '10000 seconds', longEnd)),
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Reads through the gateway beside the bare SQL for the same answer. */
export const reads: Family = {
  name: 'reads',
  ratios: [
    {
      id: 'R1',
      what: '100,000 observations in 1,000 buckets through the gateway ÷ by SQL alone',
      goal: 0.65,
      stretch: 0.8,
      of: against('buckets, gateway', 'buckets, SQL'),
    },
    {
      id: 'R4',
      what: 'pages of 10,000 observations through the gateway ÷ rows by SQL alone',
      goal: 0.5,
      stretch: 0.8,
      of: against('page, gateway', 'page, SQL'),
    },
    {
      id: 'R5',
      what: 'pages at depth 90,000 ÷ first pages',
      goal: 0.8,
      stretch: 0.95,
      of: against('page at depth 90,000', 'first page'),
    },
    {
      id: 'R6',
      what: 'a year of minutes by day from rollups ÷ from all rows',
      goal: 2.5,
      stretch: 4,
      of: against('year by day in a zone, gateway', 'year by day in a zone, SQL'),
    },
    {
      id: 'R8',
      what: '10,000,000 observations for a chart of 1,000 points ÷ the scan that it replaces',
      goal: 10,
      of: against('auto of 10,000,000, gateway', 'scan of 10,000,000, SQL'),
    },
    {
      id: 'R9',
      what: 'a day of seconds by minute ÷ by SQL alone',
      of: against('day by minute, gateway', 'day by minute, SQL'),
    },
    {
      id: 'R10',
      what: 'latest of 50 variables ÷ by SQL alone',
      of: against('latest of 50, gateway', 'latest of 50, SQL'),
    },
  ],
  open: openTrials,
};
