import { openPool } from '@weir/kit/sql';
import { operator } from '@weir/kit/testing';
import { observationInstantEndUs } from '@weir/kit/time';
import type { Constant, Variable } from '@weir/proto/variables';
import { type Client } from './test-variables.js';

/** A record with the run that its write started. */
export type Started<R> = R & { readonly runId: string };

function started<R>(record: R | undefined, runId: string): Started<R> {
  if (record === undefined) throw new Error('the answer lacks its record');
  return { ...record, runId };
}

/** An input that reads a variable of the same instrument. */
export function self(variableId: string, fields: object = {}) {
  return { kind: 'self_variable', variableId, ...fields };
}

/** An input that reads a variable of another instrument. */
export function foreign(variableId: string, sourceInstrumentId: string, fields: object = {}) {
  return { kind: 'instrument_variable', variableId, sourceInstrumentId, ...fields };
}

/** An input that reads a constant. */
export function constantInput(constantId: string, fields: object = {}) {
  return { kind: 'constant', constantId, ...fields };
}

/** A calculation. */
export function piece(expression: string, inputs: object[] = [], startTimeUs = 0, fields: object = {}) {
  return { startTimeUs, expression, inputs, ...fields };
}

/** A calculation that reads inputs, each by its id, whatever they are called. */
export function reading(inputs: object[], startTimeUs = 0) {
  const idOf = (at: number) => String(at).padStart(21, '_');
  const expression = inputs.map((_, at) => `{${idOf(at)}}`).join(' + ');
  return piece(
    expression,
    inputs.map((input, at) => ({ id: idOf(at), ...input })),
    startTimeUs,
  );
}

/** Creates calculated variables and constants of one project. */
export function calculationsOf(client: Client, projectId: string) {
  const of = { projectId, actor: operator };
  return {
    constant: async (name: string, instrumentId: string, fields: object = {}): Promise<Started<Constant>> => {
      const values = [{ startTimeUs: 0, value: 1 }];
      const answer = await client.createConstant({ ...of, instrumentId, name, values, ...fields });
      return started(answer.constant, answer.recalculationBatchRunId);
    },
    calculated: async (
      name: string,
      instrumentId: string,
      calculations: object[],
      fields: object = {},
    ): Promise<Started<Variable>> => {
      const answer = await client.createCalculatedVariable({ ...of, instrumentId, name, calculations, ...fields });
      return started(answer.variable, answer.recalculationBatchRunId);
    },
    update: async (variable: Variable, patch: object, fields: object = {}): Promise<Started<Variable>> => {
      const { id: variableId, instrumentId } = variable;
      const answer = await client.updateCalculatedVariable({ ...of, instrumentId, variableId, patch, ...fields });
      return started(answer.variable, answer.recalculationBatchRunId);
    },
    updateConstant: async (constant: Constant, patch: object, fields: object = {}): Promise<Started<Constant>> => {
      const { id: constantId, instrumentId } = constant;
      const answer = await client.updateConstant({ ...of, instrumentId, constantId, patch, ...fields });
      return started(answer.constant, answer.recalculationBatchRunId);
    },
    /** The state of a run, and what caused it. */
    run: async (runId: string): Promise<string> => {
      const { recalculation } = await client.getRecalculation({ projectId, runId });
      return `${recalculation?.state} ${recalculation?.causeKind} ${recalculation?.causeId}`;
    },
  };
}

/** What a recalculation has to compute, by variable: `start end` of each range, with `∞` for the end of time. */
export async function rangesOf(databaseUrl: string, runId: string): Promise<Record<string, string[]>> {
  await using pool = openPool({ url: databaseUrl, max: 1 });
  const { rows } = await pool.query({
    text: `select variable_id, start_at, end_at, range.configuration_generation = variable.configuration_generation as is_newest
      from variables.recalculation_ranges as range
      join variables.variables as variable on variable.id = range.variable_id
      where run_id = $1 order by start_at`,
    values: [runId],
  });
  const ranges: Record<string, string[]> = {};
  for (const row of rows) {
    if (row['is_newest'] !== true) throw new Error('the range is of an older generation');
    const end = row['end_at'] === observationInstantEndUs ? '∞' : String(row['end_at']);
    const id = String(row['variable_id']);
    ranges[id] = [...(ranges[id] ?? []), `${String(row['start_at'])} ${end}`];
  }
  return ranges;
}
