import { type Pool, sql } from '@weir/kit/sql';
import { CalculationChange, type InstantRange } from '@weir/proto/variables';
import { projectId } from './test-points.js';

/** A minute in microseconds: what tests count in. */
export const minuteUs = 60_000_000;

/** The instrument of all calculated variables of tests. */
export const instrumentId = '01920000-0000-7000-8000-0000000000aa';

/** The id of a recalculation. */
export function runId(number: number): string {
  return `01920000-0000-7000-8000-0000000d${number.toString().padStart(4, '0')}`;
}

/** Ranges of minutes. */
export function minutes(...ranges: readonly (readonly [start: number, end: number])[]): InstantRange[] {
  return ranges.map(([start, end]) => ({ startUs: start * minuteUs, endUs: end * minuteUs }));
}

/** How a test variable is computed. */
export interface TestCalculation {
  readonly variableKey: number;
  /** By alias, the keys of variables of the same instrument; twice the input by default. */
  readonly inputs?: Readonly<Record<string, number>>;
  readonly expression?: string;
  readonly version?: number;
  readonly isActive?: boolean;
  readonly projectId?: string;
}

let lastId = 0;

/** A change that the variables service tells of, with an id greater than all before. */
export function calculationChange(
  calculation: TestCalculation | undefined,
  given: Partial<CalculationChange> = {},
): CalculationChange {
  const project = calculation?.projectId ?? projectId;
  const inputs = Object.entries(calculation?.inputs ?? { x: 1 });
  return CalculationChange.fromPartial({
    id: ++lastId,
    projectId: project,
    ...(calculation !== undefined && {
      series: {
        projectId: project,
        instrumentId,
        variableId: `01920000-0000-7000-8000-${calculation.variableKey.toString(16).padStart(12, '0')}`,
        variableKey: calculation.variableKey,
        configurationGeneration: calculation.version ?? 1,
        version: calculation.version ?? 1,
        valueType: 'decimal',
        isActive: calculation.isActive ?? true,
        pieces:
          calculation.isActive === false
            ? []
            : [
                {
                  startUs: 0,
                  expression: calculation.expression ?? inputs.map(([alias]) => `2 * ${alias}`).join(' + '),
                  inputs: inputs.map(([alias, variableKey]) => ({
                    id: alias.padEnd(21, '_'),
                    kind: 'self_variable',
                    alias,
                    variableKey,
                  })),
                },
              ],
      },
    }),
    ...given,
  });
}

/** A mark as it is stored; ranges in minutes. */
export interface StoredMark {
  readonly key: number;
  readonly lane: number;
  readonly run: string | undefined;
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** All marks, of the least key first, then in the order of their ranges. */
export async function storedMarks(admin: Pool): Promise<StoredMark[]> {
  const { rows } = await admin.query(sql`
    select variable_key, lane, run_id, (
      select json_agg(json_build_array(extract(epoch from lower(r)) / 60, extract(epoch from upper(r)) / 60) order by r)
      from unnest(ranges) as r
    ) as ranges
    from observations.dirty
    order by variable_key, dirty.ranges, lane`);
  return rows.map((row) => ({
    key: row['variable_key'] as number,
    lane: row['lane'] as number,
    run: (row['run_id'] ?? undefined) as string | undefined,
    ranges: (row['ranges'] ?? []) as [number, number][],
  }));
}

/** What is known of a recalculation. */
export async function storedRun(admin: Pool, id: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await admin.query(sql`
    select state, error_code, changes_total, changes_taken, ranges_total, ranges_done, ranges_skipped
    from observations.recalculations
    where run_id = ${id}`);
  return rows[0];
}

/** Empties all tables that have to do with calculations, and those of observations. */
export async function forgetCalculations(admin: Pool): Promise<void> {
  await admin.query(sql`delete from observations.dirty`);
  await admin.query(sql`delete from observations.readers`);
  await admin.query(sql`delete from observations.recalculations`);
  await admin.query(sql`delete from observations.calculations`);
  await admin.query(sql`delete from observations.observations`);
  await admin.query(sql`delete from observations.series`);
}
