import { type Bench, openBench } from '../bench.js';
import { type GrownSeries, grownInstant, growSeries } from '../grown-series.js';
import { Load } from '../load.js';
import { type Family, quotient, type Round, type Sample, type Trial } from '../ratio.js';
import { type StoredSeries, untilRolledUp } from '../stored-series.js';
import { timeQueries } from '../timed-queries.js';
import { WriteLoad } from '../write-load.js';

const sizes = [1_000_000, 10_000_000, 100_000_000] as const;
type Size = (typeof sizes)[number];
const [least] = sizes;

const name = (what: string, size: Size): string => `${what}, ${size / 1e6} million`;

/** What is asked of each size: whether a hundred times the rows are answered as fast. */
const asked = {
  page: 'a page of 1,000 observations',
  latest: 'latest of 50 variables',
  rows: '5 days by 10 minutes, from rows',
  rollups: '5 days by hour, from rollups',
  chart: 'all of a series for a chart of 1,000 points',
} as const;
const daysOfBuckets = 5;
const minutesOfDay = 1440;
const rollupsMs = 3_600_000;

function readsOf(bench: Bench, { series, minutes }: GrownSeries): Record<keyof typeof asked, Trial> {
  const { origin, projectId, developerHeaders } = bench;
  const ask = async (query: string, count: number): Promise<void> => {
    const url = `${origin}/dev-api/v1/p/${projectId}/observations${query}`;
    const answer = await fetch(url, { headers: developerHeaders });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
    const { items } = (JSON.parse(text) as { data: { items: readonly { timestamps?: readonly string[] }[] } }).data;
    const found = items.reduce((sum, { timestamps }) => sum + (timestamps?.length ?? 1), 0);
    if (found < count) throw new Error(`${url}: ${found} instead of ${count}`);
  };
  const of = (i: number): string => `variable_id=${(series[i % series.length] as StoredSeries).variableId}`;
  // whole hours, so that rollups answer them
  const lastHour = Math.floor(minutes / 60) * 60;
  const range = (fromMinute: number): string => `start=${grownInstant(fromMinute)}&end=${grownInstant(lastHour)}`;
  const days = range(lastHour - daysOfBuckets * minutesOfDay);
  const fifty = series.slice(0, 50).map(({ variableId }) => variableId);
  return {
    page: () => timeQueries((i) => ask(`?${of(i)}&${range(lastHour - 1000)}`, 1000)),
    latest: () => timeQueries(() => ask(`/latest?variable_id=${fifty.join(',')}`, 50)),
    rows: () => timeQueries((i) => ask(`?${of(i)}&${days}&interval=PT10M&limit=10000`, daysOfBuckets * 144)),
    rollups: () => timeQueries((i) => ask(`?${of(i)}&${days}&interval=PT1H&limit=10000`, daysOfBuckets * 24)),
    chart: () => timeQueries((i) => ask(`?${of(i)}&${range(0)}&interval=auto&max_points=1000`, 100)),
  };
}

/** Sends points of the same series, later than all that are stored, and measures until all can be read. */
async function write(bench: Bench, writes: WriteLoad): Promise<Sample> {
  const bodies = 400;
  const { requests, elapsedMs } = await writes.accept({
    ...{ perRequest: 1000, variables: 1, connections: 8, durationMs: 3000, bodies },
  });
  const acceptedMs = performance.now();
  await bench.drained();
  const seconds = (elapsedMs + performance.now() - acceptedMs) / 1000;
  const { deviating } = await bench.runs();
  if (deviating > 0) throw new Error(`${deviating} runs did not simply succeed`);
  return {
    acceptedPointsPerSecond: requests / (elapsedMs / 1e6),
    sustainedPointsPerSecond: (requests * 1000) / seconds,
  };
}

async function openSize(size: Size, opening: AsyncDisposableStack): Promise<Record<string, Trial>> {
  const bench = opening.use(await openBench({ envOf: { processor: { ROLLUP_INTERVAL_MS: '1000' } } }));
  const grown = await growSeries(bench, size);
  // one that starts looks at every series
  await bench.stack.kill('processor-1');
  await bench.stack.restart('processor-1');
  await untilRolledUp(bench, grown.series, grownInstant(Math.floor((grown.minutes - 1) / 60) * 60), rollupsMs);
  const writes = new WriteLoad(bench, opening.use(new Load()));
  const reads = Object.entries(readsOf(bench, grown)).map(([what, trial]) => [name(what, size), trial]);
  return { ...Object.fromEntries(reads), [name('writes', size)]: () => write(bench, writes) };
}

const by = (what: string, size: Size, key: string) => (round: Round) =>
  quotient(round[name(what, size)]?.[key], round[name(what, least)]?.[key]);

/** What costs more with more rows: three databases side by side, each with a hundred series, asked for the same. */
export const growth: Family = {
  name: 'growth',
  isLong: true,
  ratios: [
    ...Object.entries(asked).flatMap(([what, sentence], i) =>
      sizes.slice(1).map((size) => ({
        id: `G${i + 1}${size === 100_000_000 ? 'C' : 'X'}`,
        what: `${sentence}: of ${size / 1e6} million rows ÷ of 1 million`,
        of: by(what, size, 'queriesPerSecond'),
      })),
    ),
    ...sizes.slice(1).map((size) => ({
      id: `G6${size === 100_000_000 ? 'C' : 'X'}`,
      what: `points stored into ${size / 1e6} million rows ÷ into 1 million`,
      of: by('writes', size, 'sustainedPointsPerSecond'),
    })),
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bySize: Record<string, Trial>[] = [];
    for (const size of sizes) bySize.push(await openSize(size, opening));
    // the same of all sizes one after the other
    const trials = Object.keys(bySize[0] ?? {}).flatMap((_, i) =>
      bySize.map((ofSize) => Object.entries(ofSize)[i] as [string, Trial]),
    );
    const open = opening.move();
    return { trials: Object.fromEntries(trials), [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
