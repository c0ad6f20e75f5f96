import { runStateWords } from '@weir/kit/run-states';
import { formatInstant } from '@weir/kit/time';
import type { Run, VariableOutcome } from '@weir/proto/ingestion';
import { z } from 'zod';
import { toRunState } from '../ingest/admission-json.js';
import { idText, instantText } from './answers.js';
import { fileRunSchema, listedFileRunSchema, toListedFileRunJson } from './file-runs.js';
import { exampleIds } from './records.js';
import { runError, toErrorJson } from './run-errors.js';

const outcomes = ['queued', 'stored', 'superseded', 'failed'] as const;

/** What runs of all kinds have. */
export const runMembers = {
  run_id: idText,
  state: z.enum(runStateWords),
  attempts: z.int().min(0).meta({ description: 'How often processing was begun; 0 for a recalculation.' }),
  created_at: instantText,
  finished_at: instantText.nullable(),
};

const members = { ...runMembers, kind: z.literal('ingestion'), error: runError };

/** The run of a point as lists have it. */
export const listedPointRunSchema = z.strictObject(members);

/** The run of a point or a file, as lists have it. */
export const runSchema = z.discriminatedUnion('kind', [listedPointRunSchema, listedFileRunSchema]);

/** The run of a point, with the point and what became of each of its variables. */
export const pointRunSchema = z.strictObject({
  ...members,
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

/** A run that a connection has caused, with all that is known of it. */
export const ingestedRunSchema = z.discriminatedUnion('kind', [pointRunSchema, fileRunSchema]);

type ListedPointRunJson = z.output<typeof listedPointRunSchema>;
type RunJson = z.output<typeof runSchema>;
type PointRunJson = z.output<typeof pointRunSchema>;
type Outcome = (typeof outcomes)[number];

// Words are passed on as the service has them: one that is newer than this gateway is no reason to fail.

function toVariableJson({ name, variableId, outcome, error }: VariableOutcome) {
  return { name, variable_id: variableId ?? null, outcome: outcome as Outcome, error: toErrorJson(error) };
}

function toListedPointRunJson(run: Run): ListedPointRunJson {
  return {
    run_id: run.runId,
    kind: 'ingestion',
    state: toRunState(run.state),
    error: toErrorJson(run.error),
    attempts: run.attempts,
    created_at: formatInstant(run.createdAtUs),
    finished_at: run.finishedAtUs === undefined ? null : formatInstant(run.finishedAtUs),
  };
}

/** A run as lists have it. */
export function toRunJson(run: Run): RunJson {
  return run.file === undefined ? toListedPointRunJson(run) : toListedFileRunJson(run, run.file);
}

/** The run of a point, with the point. */
export function toPointRunJson(run: Run): PointRunJson {
  return {
    ...toListedPointRunJson(run),
    file_run_id: run.fileRunId === '' ? null : run.fileRunId,
    instrument_name: run.instrumentName,
    instrument_timestamp: formatInstant(run.instrumentTimestampUs),
    variables: run.variables.map(toVariableJson),
  };
}

/** A run for the document. */
export const runExample: ListedPointRunJson = {
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
  file_run_id: null,
  instrument_name: 'Gauge 12',
  instrument_timestamp: '2026-01-31T12:00:00.000Z',
  variables: [{ name: 'water_level', variable_id: exampleIds.variable, outcome: 'stored', error: null }],
};
