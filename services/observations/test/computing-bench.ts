import { openPool, type Pool, sql } from '@weir/kit/sql';
import { CalculationChange } from '@weir/proto/variables';
import { MakingWay } from '../src/compute/making-way.js';
import { type ComputingOptions, type StartedComputing, startComputing } from '../src/compute/start-computing.js';
import { takeOverChanges } from '../src/compute/take-over.js';
import { arrangeRows } from '../src/domain/arrange-rows.js';
import type { ProcessorEvents } from '../src/events.js';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { SeriesMemory } from '../src/stream/series-memory.js';
import { writeRows } from '../src/stream/write-rows.js';
import { forgetCalculations, instrumentId, minuteUs } from './test-calculations.js';
import { projectId } from './test-points.js';
import { testDatabase } from './test-servers.js';

/** Instants in minutes, and values. */
export type Entry = readonly [minute: number, value: number];

/** An input of a test piece. */
export interface TestInput {
  /** the key of a series; not of a constant */
  readonly key?: number;
  readonly kind?: 'self_variable' | 'instrument_variable' | 'constant';
  /** in minutes */
  readonly buffer?: number;
  readonly isCalculated?: boolean;
  /** of a constant: values since minutes */
  readonly steps?: readonly Entry[];
}

/** A calculated variable, from its first minute on. */
export interface TestVariable {
  readonly key: number;
  readonly version?: number;
  readonly valueType?: 'decimal' | 'integer' | 'boolean';
  readonly pieces: readonly {
    readonly start?: number;
    readonly expression: string;
    readonly inputs: Readonly<Record<string, TestInput>>;
  }[];
}

/** Ranges of a recalculation, in minutes. */
export type TestRun = {
  readonly run: string;
  readonly changes?: number;
  readonly ranges: readonly (readonly [number, number])[];
};

/** A database, and what computes in it. */
export interface ComputingBench extends AsyncDisposable {
  readonly pool: Pool;
  readonly admin: Pool;
  /** What was computed: variables, instants and changed results of each transaction. */
  readonly computed: Parameters<ProcessorEvents['computed']>[0][];
  readonly failures: Parameters<ProcessorEvents['computingFailed']>[0][];
  readonly invalid: Parameters<ProcessorEvents['calculationInvalid']>[0][];
  forget(): Promise<void>;
  start(options?: Partial<ComputingOptions>): StartedComputing;
  install(variable: TestVariable, run?: TestRun): Promise<void>;
  cancel(run: string): Promise<void>;
  write(key: number, entries: readonly Entry[]): Promise<void>;
  /** Waits until nothing is marked in these lanes. */
  drained(lanes?: readonly number[]): Promise<void>;
  stored(key: number): Promise<Entry[]>;
  run(id: string): Promise<{ instants: number; ranges: number; skipped: number; missing: Record<string, number> }>;
}

let changeId = 1_000_000;

function toChange({ key, version = 1, valueType = 'decimal', pieces }: TestVariable, run?: TestRun): CalculationChange {
  return CalculationChange.fromPartial({
    id: ++changeId,
    projectId,
    ...(run !== undefined && {
      runId: run.run,
      runChanges: run.changes ?? 1,
      ranges: run.ranges.map(([start, end]) => ({ startUs: start * minuteUs, endUs: end * minuteUs })),
    }),
    series: {
      projectId,
      instrumentId,
      variableId: `01920000-0000-7000-8000-${key.toString(16).padStart(12, '0')}`,
      variableKey: key,
      configurationGeneration: version,
      version,
      valueType,
      isActive: true,
      pieces: pieces.map(({ start = 0, expression, inputs }) => ({
        startUs: start * minuteUs,
        expression,
        inputs: Object.entries(inputs).map(([alias, input]) => ({
          id: alias.padEnd(21, '_'),
          kind: input.kind ?? 'self_variable',
          alias,
          variableKey: input.key ?? 0,
          isCalculated: input.isCalculated ?? (input.key ?? 0) >= 100,
          ...(input.buffer !== undefined && { pastBufferSeconds: input.buffer * 60 }),
          steps: (input.steps ?? []).map(([start, value]) => ({ startTimeUs: start * minuteUs, value })),
        })),
      })),
    },
  });
}

/** Sets up a bench; series of keys from 100 on are calculated. */
export async function computingBench(): Promise<ComputingBench> {
  const database = await testDatabase();
  const pool = openPool({ url: database.url, role: 'weir_observations', max: 8, settings: fixedPlans });
  const admin = openPool({ url: database.url, max: 1 });
  const memory = new SeriesMemory();
  const computed: ComputingBench['computed'] = [];
  const failures: ComputingBench['failures'] = [];
  const invalid: ComputingBench['invalid'] = [];
  const events = {
    computed: (event) => computed.push(event),
    computingFailed: (event) => failures.push(event),
    calculationInvalid: (event) => invalid.push(event),
    backgroundFailed: () => undefined,
    backgroundBack: () => undefined,
  } satisfies Partial<ProcessorEvents> as Partial<ProcessorEvents> as ProcessorEvents;
  let admitted = 0;
  return {
    pool,
    admin,
    computed,
    failures,
    invalid,
    async forget() {
      await forgetCalculations(admin);
      computed.length = 0;
      failures.length = 0;
      invalid.length = 0;
    },
    start: (options) =>
      startComputing({
        pool,
        events,
        makingWay: new MakingWay(),
        recalculationWorkers: 1,
        sliceInstantsMax: 10_000,
        ...options,
      }),
    async install(variable, run) {
      await takeOverChanges(pool, projectId, [toChange(variable, run)]);
    },
    async cancel(run) {
      const change = CalculationChange.fromPartial({ id: ++changeId, projectId, cancelledRunId: run });
      await takeOverChanges(pool, projectId, [change]);
    },
    async write(key, entries) {
      const { rows } = arrangeRows({
        count: entries.length,
        variableKeys: [key],
        slots: new Uint32Array(entries.length),
        instantsUs: Float64Array.from(entries, ([minute]) => minute * minuteUs),
        values: Float64Array.from(entries, ([, value]) => value),
        admitted: Float64Array.from(entries, () => ++admitted),
      });
      const known = new SeriesMemory();
      await (entries.length > 100 ? memory : known).ensure(pool, [
        { variableKey: key, projectId, instrumentId, generation: 1 },
      ]);
      await writeRows({ pool, memory: known, projectIds: [projectId], mayBeStored: true }, rows);
    },
    async drained(lanes = [0, 1]) {
      for (let count = 1; count > 0; ) {
        const { rows } = await admin.query(
          sql`select count(*)::int as count from observations.dirty where lane = any(${lanes}::smallint[])`,
        );
        count = rows[0]?.['count'] as number;
      }
    },
    async stored(key) {
      const { rows } = await admin.query(
        sql`select at, value from observations.observations where variable_key = ${key} order by at`,
      );
      return rows.map(({ at, value }) => [(at as number) / minuteUs, value as number]);
    },
    async run(id) {
      const { rows } = await admin.query(sql`
        select instants_done as instants, ranges_done as ranges, ranges_skipped as skipped, missing
        from observations.recalculations where run_id = ${id}`);
      return rows[0] as Awaited<ReturnType<ComputingBench['run']>>;
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Ascending minutes with a value each. */
export function series(from: number, until: number, of: (minute: number) => number = (minute) => minute): Entry[] {
  return Array.from({ length: until - from }, (_, i) => [from + i, of(from + i)]);
}
