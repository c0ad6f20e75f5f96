import type { RpcOptions } from '@weir/kit/rpc';
import { isTimezone, parseInterval } from '@weir/kit/time';
import type { AggregateObservationsResponse, BucketPosition } from '@weir/proto/observations';
import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import type { ObservedVariable } from '../clients/observed-variables.js';
import type { QueryRule } from '../http/operation.js';
import { integer, listOf, oneOf, optional, type Value } from '../http/parameters.js';
import { idText, instantText } from '../schemas/answers.js';

const numberFunctions = {
  mean: 'Sum by count, as near as that is.',
  min: 'The least value.',
  max: 'The greatest value.',
  sum:
    'Added up in ascending time, as doubles, or of partial sums that were made so. Which of the two may change from one ' +
    'call to the next; they differ by at most 1e-9 of the sum of all magnitudes, and as a rule by 1e-15 of it.',
  count: 'How many observations there are; 0 in an empty bucket, whatever `fill` says.',
  first: 'The value at the first instant.',
  last: 'The value at the last instant.',
  stddev: 'Standard deviation of the sample; null for one observation.',
  median: 'As `percentile_cont` interpolates.',
  range: 'Greatest less least value.',
  p05: '5th percentile, interpolated.',
  p95: '95th percentile, interpolated.',
  time_weighted_mean:
    'Mean of the line that joins neighbouring observations of the bucket, over the time from the first to the last.',
} as const;
const instantFunctions = {
  min_at: 'The first instant of the least value.',
  max_at: 'The first instant of the greatest value.',
} as const;
const functions = [...Object.keys(numberFunctions), ...Object.keys(instantFunctions)] as [string, ...string[]];

/** What an interval without a list of functions is answered with. */
const defaultFunctions = ['mean'];
const defaultTimezone = 'UTC';
const defaultFill = 'none';
/** What `auto` always answers, so that no peak is lost. */
const peakFunctions = ['mean', 'min', 'max'];
const pointsDefault = 1000;

const interval: Value<string> = {
  jsonSchema: {
    anyOf: [
      { type: 'string', const: 'auto' },
      {
        type: 'string',
        pattern:
          '^P([0-9]+Y([0-9]+M)?|[0-9]+M|[0-9]+W([0-9]+D)?|[0-9]+D|T[0-9]+H([0-9]+M)?([0-9]+(\\.[0-9]{1,6})?S)?|T[0-9]+M([0-9]+(\\.[0-9]{1,6})?S)?|T[0-9]+(\\.[0-9]{1,6})?S)$',
      },
    ],
  },
  parse: (text) => {
    if (text === 'auto') return { value: text };
    const parsed = parseInterval(text);
    return 'fault' in parsed ? { fault: { code: 'invalid_interval', message: parsed.fault } } : { value: text };
  },
};

const timezone: Value<string> = {
  jsonSchema: { type: 'string', default: defaultTimezone },
  parse: (text) =>
    isTimezone(text)
      ? { value: text }
      : {
          fault: {
            code: 'invalid_timezone',
            message: 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.',
          },
        },
};

const fill = oneOf('none', 'null', 'previous', 'linear');

/** The parameters by which observations are read in buckets. */
export const aggregationQuery = {
  interval: optional(
    interval,
    'Puts observations into buckets of this length, and needs `start` and `end`: an ISO 8601 duration of years and ' +
      'months, of weeks and days, or of hours, minutes and seconds; or `auto`, the shortest of the usual lengths that ' +
      'gives at most `max_points` buckets.',
    'P1D',
  ),
  aggregation: optional(
    listOf(...functions),
    'With `interval`: the functions, one column each; `mean` when left out. `auto` answers `mean`, `min` and `max` ' +
      'besides those asked.',
    'mean,max,max_at',
  ),
  timezone: optional(
    timezone,
    'With `interval`: the IANA time zone of its calendar; `UTC` when left out.',
    'Europe/Amsterdam',
  ),
  fill: optional(
    { ...fill, jsonSchema: { ...fill.jsonSchema, default: defaultFill } },
    'With `interval`: what stands for a bucket without observations. `none` leaves it out; `null` shows it with null; ' +
      '`previous` repeats the bucket before; `linear` draws a line between the buckets beside it. Only buckets of ' +
      'the range are looked at, counts are 0 and instants null.',
  ),
  max_points: optional(
    { ...integer(2, 10_000), jsonSchema: { ...integer(2, 10_000).jsonSchema, default: pointsDefault } },
    'With `interval=auto`: buckets of each variable, at most.',
  ),
};

const needsInterval = (name: string): QueryRule => ({
  of: [name],
  beside: ['interval'],
  code: 'needs_interval',
  faultOf: (query) =>
    query[name] !== undefined && query['interval'] === undefined
      ? 'This goes with interval; give that too.'
      : undefined,
});
const needsBound = (name: string): QueryRule => ({
  of: [name],
  beside: ['interval'],
  code: 'required',
  faultOf: (query) =>
    query[name] === undefined && query['interval'] !== undefined ? 'With interval this must be given.' : undefined,
});

/** What the parameters of buckets must be to each other. */
export const aggregationRules: readonly QueryRule[] = [
  ...['aggregation', 'timezone', 'fill'].map(needsInterval),
  ...['start', 'end'].map(needsBound),
  {
    of: ['max_points'],
    beside: ['interval'],
    code: 'needs_interval',
    faultOf: ({ max_points: points, interval: asked }) =>
      points !== undefined && asked !== 'auto' ? 'This goes with interval=auto.' : undefined,
  },
  {
    of: ['cursor'],
    beside: ['interval'],
    code: 'exclusive',
    faultOf: ({ cursor, interval: asked }) =>
      cursor !== undefined && asked === 'auto' ? 'With interval=auto there are no pages.' : undefined,
  },
];

const column = <T extends z.ZodType>(schema: T, described: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      z
        .array(schema)
        .optional()
        .meta({ description: `With \`${name}\` asked. ${description}` }),
    ]),
  );

/** A variable's buckets, as columns of one length. */
export const bucketColumns = z
  .strictObject({
    variable_id: idText,
    unit: z.string().nullable(),
    timestamps: z.array(instantText).meta({ description: 'Where buckets start.' }),
    complete: z.array(z.boolean()).meta({ description: 'Whether the range covers the bucket whole.' }),
    ...column(z.number().nullable(), numberFunctions),
    ...column(instantText.nullable(), instantFunctions),
    gap: z
      .array(z.boolean())
      .optional()
      .meta({
        description:
          'With `interval=auto`: whether more than twice the expected cadence passed without an observation, within ' +
          'the bucket or since the last one before it, which may be before the range. Where such a gap spans a bucket, one ' +
          'with nulls stands in it. Nothing is missing before the first observation of all, or of what is still to come.',
      }),
  })
  .meta({ title: 'Buckets, with `interval`' });

/** A query for buckets, once it was read. */
export interface AggregationQuery {
  readonly interval: string;
  readonly aggregation: readonly string[] | undefined;
  readonly timezone: string | undefined;
  readonly fill: string | undefined;
  readonly max_points: number | undefined;
  readonly startUs: number;
  readonly endUs: number;
  readonly descending: boolean;
  readonly limit: number;
}

/** What of a query for buckets its cursor is bound to. */
type BoundQuery = Pick<AggregationQuery, 'aggregation' | 'timezone' | 'fill'>;

/** The same for a query that names a default as for one that leaves it out. */
export function withoutDefaults({ aggregation, ...query }: BoundQuery): BoundQuery {
  return {
    aggregation: aggregation?.join() === defaultFunctions.join() ? undefined : aggregation,
    timezone: query.timezone === defaultTimezone ? undefined : query.timezone,
    fill: query.fill === defaultFill ? undefined : query.fill,
  };
}

/** Reads buckets of variables, and answers items and the interval as members of JSON. */
export async function readAggregated(
  observations: Pick<Clients['observations'], 'aggregateObservations'>,
  request: {
    readonly projectId: string;
    readonly variables: readonly ObservedVariable[];
    readonly query: AggregationQuery;
    readonly from: string | undefined;
  },
  call: RpcOptions,
): Promise<{ readonly members: string; readonly next: string | undefined; readonly mark: string }> {
  const { projectId, variables, query, from } = request;
  const isAuto = query.interval === 'auto';
  const asked = query.aggregation ?? defaultFunctions;
  const answer = await observations.aggregateObservations(
    {
      projectId,
      series: variables.map(({ variableKey, expectedCadenceS }) => ({ variableKey, expectedCadenceS })),
      startUs: query.startUs,
      endUs: query.endUs,
      interval: isAuto ? undefined : query.interval,
      pointsMax: query.max_points ?? pointsDefault,
      timezone: query.timezone ?? defaultTimezone,
      functions: isAuto ? [...new Set([...asked, ...peakFunctions])] : [...asked],
      fill: query.fill ?? defaultFill,
      descending: query.descending,
      limit: query.limit,
      from: from === undefined ? undefined : readBucketPosition(from),
    },
    call,
  );
  const { nextFrom } = answer;
  return {
    members: `"items":${bucketItemsJson(variables, answer)},"interval":${JSON.stringify(answer.interval)}`,
    next: nextFrom === undefined ? undefined : `${nextFrom.seriesIndex} ${nextFrom.bucketUs}`,
    mark: answer.changeMark,
  };
}

function readBucketPosition(text: string): BucketPosition {
  const [seriesIndex, bucketUs] = text.split(' ');
  return { seriesIndex: Number(seriesIndex), bucketUs: Number(bucketUs) };
}

function bucketItemsJson(variables: readonly ObservedVariable[], { series }: AggregateObservationsResponse): string {
  const items = variables.map((variable, i) => {
    const columns = (series[i]?.columns ?? []).map(({ name, json }) => `,${JSON.stringify(name)}:${json}`);
    const head = `"variable_id":${JSON.stringify(variable.id)},"unit":${JSON.stringify(variable.unit ?? null)}`;
    return `{${head}${columns.join('')}}`;
  });
  return `[${items.join(',')}]`;
}
