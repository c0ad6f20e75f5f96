import { formatInstant } from '@weir/kit/time';
import type { Run, VariableOutcome } from '@weir/proto/ingestion';
import type { Recalculation } from '@weir/proto/variables';
import { z } from 'zod';
import { runStates, toRunState } from '../ingest/admission-json.js';
import { idText, instantText } from './answers.js';
import { fileRunSchema, listedFileRunSchema, toListedFileRunJson } from './file-runs.js';
import { runError, toErrorJson } from './run-errors.js';

const outcomes = ['queued', 'stored', 'superseded', 'failed'] as const;

const members = {
  run_id: idText,
  state: z.enum(runStates),
  error: runError,
  attempts: z.int().min(0).meta({ description: 'How often processing was begun; 0 for a recalculation.' }),
  created_at: instantText,
  finished_at: instantText.nullable(),
};

/** The run of a point or a recalculation as lists have it. */
const plainRunSchema = z.strictObject({ ...members, kind: z.enum(['ingestion', 'recalculation']) });

/** A run as lists have it. */
export const runSchema = z.discriminatedUnion('kind', [plainRunSchema, listedFileRunSchema]);

/** The run of a point, with the point and what became of each of its variables. */
const pointRunSchema = z.strictObject({
  ...members,
  kind: z.literal('ingestion'),
  file_run_id: idText.nullable().meta({ description: 'The run of the file that the point came with.' }),
  instrument_name: z.string(),
  instrument_timestamp: instantText,
  variables: z.array(
    z.strictObject({
      name: z.string(),
      variable_id: idText.nullable().meta({ description: 'Null until the name is known to mean a variable.' }),
      outcome: z.enum(outcomes).meta({
        description: '`superseded`: a point that was admitted later has given another value for the same instant.',
      }),
      error: runError,
    }),
  ),
});

const causes = ['calculated_variable', 'calibration_constant', 'instrument'] as const;

/** A recalculation with what caused it. */
const recalculationSchema = z.strictObject({
  ...members,
  kind: z.literal('recalculation'),
  cause: z
    .strictObject({ kind: z.enum(causes), id: idText })
    .meta({ description: 'The record whose change made it necessary.' }),
});

/** A run that a connection has caused, with all that is known of it. */
export const ingestedRunSchema = z.discriminatedUnion('kind', [pointRunSchema, fileRunSchema]);

/** A run of any kind with all that is known of it. */
export const runDetailSchema = z.discriminatedUnion('kind', [pointRunSchema, fileRunSchema, recalculationSchema]);

type PlainRunJson = z.output<typeof plainRunSchema>;
type RunJson = z.output<typeof runSchema>;
type PointRunJson = z.output<typeof pointRunSchema>;
type RecalculationJson = z.output<typeof recalculationSchema>;
type Outcome = (typeof outcomes)[number];

// Words are passed on as the service has them: one that is newer than this gateway is no reason to fail.

function toVariableJson({ name, variableId, outcome, error }: VariableOutcome) {
  return { name, variable_id: variableId ?? null, outcome: outcome as Outcome, error: toErrorJson(error) };
}

function toPlainRunJson(run: Run): PlainRunJson {
  return {
    run_id: run.runId,
    kind: run.kind as PlainRunJson['kind'],
    state: toRunState(run.state),
    error: toErrorJson(run.error),
    attempts: run.attempts,
    created_at: formatInstant(run.createdAtUs),
    finished_at: run.finishedAtUs === undefined ? null : formatInstant(run.finishedAtUs),
  };
}

/** A run as lists have it. */
export function toRunJson(run: Run): RunJson {
  return run.file === undefined ? toPlainRunJson(run) : toListedFileRunJson(run, run.file);
}

/** The run of a point, with the point. */
export function toPointRunJson(run: Run): PointRunJson {
  return {
    ...toPlainRunJson(run),
    kind: 'ingestion',
    file_run_id: run.fileRunId === '' ? null : run.fileRunId,
    instrument_name: run.instrumentName,
    instrument_timestamp: formatInstant(run.instrumentTimestampUs),
    variables: run.variables.map(toVariableJson),
  };
}

/** A recalculation as lists have it. Nobody counts how often one was begun. */
export function toRecalculationRunJson(run: Recalculation): PlainRunJson {
  return {
    run_id: run.runId,
    kind: 'recalculation',
    state: run.state as PlainRunJson['state'],
    error: null,
    attempts: 0,
    created_at: formatInstant(run.createdAtUs),
    finished_at: run.finishedAtUs === undefined ? null : formatInstant(run.finishedAtUs),
  };
}

/** A recalculation with what caused it. */
export function toRecalculationJson(run: Recalculation): RecalculationJson {
  return {
    ...toRecalculationRunJson(run),
    kind: 'recalculation',
    cause: { kind: run.causeKind as (typeof causes)[number], id: run.causeId },
  };
}

/** A run for the document. */
export const runExample: PlainRunJson = {
  run_id: '019c13a0-5c00-7000-8000-4a2f5f2c7800',
  kind: 'ingestion',
  state: 'succeeded',
  error: null,
  attempts: 1,
  created_at: '2026-01-31T12:00:01.250Z',
  finished_at: '2026-01-31T12:00:01.312Z',
};

/** The same run with its point. */
export const pointRunExample: PointRunJson = {
  ...runExample,
  kind: 'ingestion',
  file_run_id: null,
  instrument_name: 'Gauge 12',
  instrument_timestamp: '2026-01-31T12:00:00.000Z',
  variables: [
    { name: 'water_level', variable_id: '019c139f-2c00-7000-8000-2f5f2c7c1100', outcome: 'stored', error: null },
  ],
};
