import { type Pool, sql } from '@weir/kit/sql';
import type { Api } from './api.js';
import { reading } from './points.js';

/** A variable with many observations: number k at second k, with value k, and what it is called inside. */
export interface BulkVariable {
  readonly variableId: string;
  readonly variableKey: number;
}

/** Makes a variable by a first point, and gives it `count` observations in the database itself. */
export async function createBulkVariable(
  { api, admin, drained }: { readonly api: Api; readonly admin: Pool; readonly drained: () => Promise<void> },
  instrument: string,
  count: number,
): Promise<BulkVariable> {
  const { runs } = await api.ingest([reading(instrument, 0, 0)]);
  await drained();
  const variableId = (await api.run(runs[0]?.run_id ?? '')).variables[0]?.variable_id ?? '';
  const { rows } = await admin.query(sql`select variable_key from variables.variables where id = ${variableId}::uuid`);
  const variableKey = Number(rows[0]?.['variable_key']);
  await admin.query(sql`
    insert into observations.observations (variable_key, at, value, admitted)
    select ${variableKey}::bigint, timestamptz '2026-01-01 00:00:00Z' + number * interval '1 second', number, 1
    from generate_series(1, ${count - 1}::int) as number`);
  return { variableId, variableKey };
}
