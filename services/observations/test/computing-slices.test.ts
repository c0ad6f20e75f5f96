import { sql } from '@weir/kit/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { computeCandidates } from '../src/compute/compute-candidates.js';
import { DefinitionMemory } from '../src/compute/definition-memory.js';
import { toCalculation } from '../src/domain/calculation.js';
import { type Definition, definitionShape } from '../src/domain/definition.js';
import { drivingInstants } from '../src/domain/driving-instants.js';
import { evaluateInstants } from '../src/domain/evaluate-instants.js';
import type { KnownSeries } from '../src/domain/known-series.js';
import type { ProcessorEvents } from '../src/events.js';
import { multirange } from '../src/store/multiranges.js';
import { type ComputingBench, computingBench, type Entry } from './computing-bench.js';
import { instrumentId, minuteUs } from './test-calculations.js';
import { projectId } from './test-points.js';

let bench: ComputingBench;
beforeAll(async () => {
  bench = await computingBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const until = 40;
const entries = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -5, max: until }), fc.integer({ min: -4, max: 4 })), {
    selector: ([minute]) => minute,
    maxLength: 30,
  })
  .map((found): Entry[] => found.sort(([a], [b]) => a - b));
const buffer = fc.constantFrom(1, 3, 10, 60).map((minutes) => minutes * minuteUs);

/** What pieces may compute; `x` drives, with or without `y`. */
const expressions = {
  'x * k': ['x', 'k'],
  'coalesce(x, 0) + 2 * coalesce(y, 0)': ['x', 'y'],
  'x + coalesce(previous(x), 100) + previous(y)': ['x', 'y'],
  'x / asOf': ['x', 'asOf'],
  'x + coalesce(exact, 7)': ['x', 'exact'],
  'coalesce(previous(asOf), -1) - 2 * coalesce(asOf, 50) + 0 * x': ['x', 'asOf'],
  'sum(w) + count(w) + 0 * x': ['x', 'w'],
  'coalesce(mean(asOf), 3) + coalesce(asOf, 1) * x': ['x', 'asOf'],
  'coalesce(max(w), 5) + coalesce(previous(exact), 2) + k * x': ['x', 'w', 'exact', 'k'],
} as const;

const piece = (startUs: number) =>
  fc
    .record({ expression: fc.constantFrom(...Object.keys(expressions)), bufferUs: buffer })
    .map(({ expression, bufferUs }) => {
      const all = {
        x: { kind: 'self_variable', variableKey: 1 },
        y: { kind: 'self_variable', variableKey: 2 },
        w: { kind: 'self_variable', variableKey: 2, bufferUs },
        asOf: { kind: 'instrument_variable', variableKey: 3, bufferUs },
        exact: { kind: 'instrument_variable', variableKey: 3 },
        k: { kind: 'constant', variableKey: 0 },
      };
      const steps = [
        { startTimeUs: 10 * minuteUs, value: 3 },
        { startTimeUs: 17 * minuteUs, value: -1 },
      ];
      const inputs = expressions[expression as keyof typeof expressions].map((alias) => ({
        id: alias.padEnd(21, '_'),
        alias,
        isCalculated: false,
        steps: alias === 'k' ? steps : [],
        ...all[alias],
      }));
      return { startUs, expression, inputs };
    });
const definition = fc
  .tuple(piece(-20 * minuteUs), piece(12 * minuteUs), piece(25 * minuteUs), fc.nat(2))
  .map(([a, b, c, from]): Definition => definitionShape.parse({ valueType: 'decimal', pieces: [a, b, c].slice(from) }));
const bounds = fc.uniqueArray(fc.integer({ min: -6, max: until + 2 }), { minLength: 2, maxLength: 10 });
const limits = fc.record({
  instantsMax: fc.integer({ min: 1, max: 6 }),
  rangesMax: fc.integer({ min: 1, max: 3 }),
  scannedRowsPerInstant: fc.constantFrom(0.01, 0.1, 16),
  windowRowsMax: fc.integer({ min: 1, max: 8 }),
  stepsMax: fc.integer({ min: 1, max: 200 }),
  isPatient: fc.constant(true),
});

function whole(entriesOf: readonly Entry[]): KnownSeries {
  return {
    atUs: Float64Array.from(entriesOf, ([minute]) => minute * minuteUs),
    values: Float64Array.from(entriesOf, ([, value]) => value),
    untilUs: Number.POSITIVE_INFINITY,
  };
}

/** The results over all that there is, without a database. */
function resultsOf(given: Definition, known: ReadonlyMap<number, KnownSeries>): Map<number, number> {
  const calculation = toCalculation(given);
  const driving = drivingInstants(calculation, known, Number.POSITIVE_INFINITY, 1_000_000);
  const evaluating = evaluateInstants(calculation, driving, known, { stepsMax: 1e12, stretchStepsMax: 1e12 });
  for (;;) {
    const step = evaluating.next();
    if (step.done !== true) continue;
    const { instantsUs, values } = step.value;
    return new Map([...instantsUs].map((us, i) => [us / minuteUs, values[i] as number]));
  }
}

/** Puts everything in place of what was there: the inputs, results of an older time, the definition and what is marked. */
async function prepare(
  given: Definition,
  series: readonly Entry[][],
  stale: readonly Entry[],
  ranges: readonly number[],
) {
  await bench.forget();
  const rows = [...series, stale].flatMap((of, i) =>
    of.map((entry) => [i === series.length ? 100 : i + 1, ...entry] as const),
  );
  await bench.admin.query(sql`
    insert into observations.observations (variable_key, at, value, admitted)
    select key, timestamptz '1970-01-01' + minute * interval '1 minute', value, 1
    from unnest(${rows.map(([key]) => key)}::bigint[], ${rows.map(([, minute]) => minute)}::int[],
      ${rows.map(([, , value]) => value)}::double precision[]) as given (key, minute, value)`);
  await bench.admin.query(sql`
    insert into observations.series (variable_key, project_id, instrument_id, generation)
    values (100, ${projectId}, ${instrumentId}, 1)`);
  await bench.admin.query(sql`
    insert into observations.calculations
      (variable_key, project_id, variable_id, instrument_id, configuration_generation, version, definition)
    values (100, ${projectId}, ${instrumentId}, ${instrumentId}, 1, 1, ${given}::jsonb)`);
  const startsUs = Float64Array.from(
    ranges.filter((_, i) => i % 2 === 0),
    (minute) => minute * minuteUs,
  );
  const endsUs = Float64Array.from(
    ranges.filter((_, i) => i % 2 === 1),
    (minute) => minute * minuteUs,
  );
  await bench.admin.query(sql`
    insert into observations.dirty (variable_key, ranges, lane, configuration_generation, range_count)
    select 100, ${multirange({ startsUs, endsUs })}::tstzmultirange, 1, 1, 0`);
}

test('however it is cut, what is marked has the results of the whole, and nothing else is touched', async () => {
  const events = {
    computed: () => undefined,
    computingFailed: ({ error }) => {
      throw error;
    },
  } satisfies Partial<ProcessorEvents> as Partial<ProcessorEvents> as ProcessorEvents;
  await fc.assert(
    fc.asyncProperty(
      definition,
      fc.tuple(entries, entries, entries),
      entries,
      bounds,
      limits,
      async (given, series, stale, picked, cut) => {
        const ranges = picked.sort((a, b) => a - b).slice(0, picked.length - (picked.length % 2));
        await prepare(given, series, stale, ranges);
        const known = new Map(series.map((of, i) => [i + 1, whole(of)] as const));
        const isMarked = (minute: number): boolean => ranges.filter((bound) => bound <= minute).length % 2 === 1;
        const expected = [...resultsOf(given, known)]
          .filter(([minute, value]) => isMarked(minute) && !Number.isNaN(value))
          .concat(
            stale.filter(([minute]) => !isMarked(minute)).map(([minute, value]): [number, number] => [minute, value]),
          )
          .sort(([a], [b]) => a - b);
        const computing = { pool: bench.pool, events, definitions: new DefinitionMemory(events) };
        for (let isLeft = true; isLeft; ) {
          await computeCandidates(computing, 1, [{ variableKey: 100, projectId, variableId: instrumentId }], cut);
          const { rows } = await bench.admin.query(sql`select from observations.dirty`);
          isLeft = rows.length > 0;
        }
        expect(await bench.stored(100)).toEqual(expected);
      },
    ),
    { seed: 404, numRuns: 60, endOnFailure: true },
  );
});
