import { rowErrorsMax } from '@weir/kit/run-codes';
import { formatInstant } from '@weir/kit/time';
import type { FileDetails, Run } from '@weir/proto/ingestion';
import { z } from 'zod';
import { toRunState } from '../ingest/admission-json.js';
import { idText, instantText } from './answers.js';
import { fileCounts, rowError, rowErrorExample, toRowErrorJson } from './row-errors.js';
import { runError, toErrorJson } from './run-errors.js';

const fileMembers = {
  run_id: idText,
  kind: z.literal('file'),
  state: z.enum(['running', 'succeeded', 'partially_succeeded', 'failed']).meta({
    description:
      'Whether the rows of the file were read. `running`: it is being sent. `succeeded`: to its end, and each row was ' +
      'read. `partially_succeeded`: some rows are errors. `failed`: no row was read, or the file did not come to its ' +
      'end. What became of its points is told by their own runs.',
  }),
  error: runError,
  attempts: z.int().min(1).meta({ description: 'How many requests have sent it.' }),
  created_at: instantText,
  finished_at: instantText.nullable(),
  file_name: z.string(),
  parser_id: idText,
  parser_version: z.int().min(1).meta({ description: 'Of the configuration that all of the file is read by.' }),
  site_id: idText.nullable(),
  progress: z.strictObject({
    bytes_read: z.int().min(0).meta({ description: 'After decompression.' }),
    bytes_total: z.int().min(0).nullable().meta({ description: 'Null where the request did not say it.' }),
    points_admitted: z.int().min(0).meta({ description: 'Each of these points is a durable run.' }),
  }),
  counts: fileCounts.meta({ description: 'What was found in what was read.' }),
};

/** The run of a file as lists have it. */
export const listedFileRunSchema = z.strictObject(fileMembers);

/** The run of a file with its row errors. */
export const fileRunSchema = z.strictObject({
  ...fileMembers,
  row_errors: z
    .array(rowError)
    .max(rowErrorsMax)
    .meta({ description: `The first ${rowErrorsMax}, in the order of the file.` }),
});

/** The run of a file as lists have it. */
export function toListedFileRunJson(run: Run, file: FileDetails): z.output<typeof listedFileRunSchema> {
  const { bytes, ...counts } = file.progress ?? { bytes: 0, rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
  return {
    run_id: run.runId,
    kind: 'file',
    // passed on as the service has it
    state: toRunState(run.state) as z.output<typeof listedFileRunSchema>['state'],
    error: toErrorJson(run.error),
    attempts: run.attempts,
    created_at: formatInstant(run.createdAtUs),
    finished_at: run.finishedAtUs === undefined ? null : formatInstant(run.finishedAtUs),
    file_name: file.fileName,
    parser_id: file.parserId,
    parser_version: file.parserVersion,
    site_id: file.siteId === '' ? null : file.siteId,
    progress: { bytes_read: bytes, bytes_total: file.bytesTotal ?? null, points_admitted: file.position },
    counts,
  };
}

/** The run of a file with its row errors. */
export function toFileRunJson(run: Run, file: FileDetails): z.output<typeof fileRunSchema> {
  return { ...toListedFileRunJson(run, file), row_errors: file.rowErrors.map(toRowErrorJson) };
}

/** The run of a file for the document. */
export const fileRunExample: z.output<typeof fileRunSchema> = {
  run_id: '019c13a1-1200-7000-8000-2c7c11004a00',
  kind: 'file',
  state: 'partially_succeeded',
  error: null,
  attempts: 1,
  created_at: '2026-01-31T12:05:00.100Z',
  finished_at: '2026-01-31T12:05:00.950Z',
  file_name: 'Station 1.dat',
  parser_id: '019c13a6-9000-7000-8000-8fbf82e27700',
  parser_version: 1,
  site_id: null,
  progress: { bytes_read: 61_204, bytes_total: 61_204, points_admitted: 1439 },
  counts: { rows: 1440, points: 1439, errors: 1, missing: 12, skipped: 0 },
  row_errors: [rowErrorExample],
};
