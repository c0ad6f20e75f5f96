import { recalculationErrorCodes, recalculationErrorMessage } from '@weir/kit/run-codes';
import { formatInstant } from '@weir/kit/time';
import type { Recalculation } from '@weir/proto/variables';
import { z } from 'zod';
import { idText } from './answers.js';
import { fileRunSchema, listedFileRunSchema } from './file-runs.js';
import { exampleIds } from './records.js';
import { listedPointRunSchema, pointRunSchema, runMembers } from './runs.js';

const states = ['queued', 'running', 'succeeded', 'failed'] as const;
const causes = ['calculated_variable', 'calibration_constant', 'instrument', 'operator'] as const;

type ErrorCode = keyof typeof recalculationErrorCodes;
const codes = Object.keys(recalculationErrorCodes) as [ErrorCode, ...ErrorCode[]];

const error = z
  .strictObject({
    code: z.enum(codes).meta({
      description: codes.map((code) => `\`${code}\`: ${recalculationErrorCodes[code]}`).join('\n'),
    }),
    message: z.string(),
  })
  .nullable();

const count = z.int().min(0);

const progress = z
  .strictObject({
    ranges: z
      .strictObject({ total: count, done: count, skipped: count })
      .meta({ description: 'Ranges of time of variables. `skipped`: a later recalculation computes them instead.' }),
    instants: z
      .strictObject({ total: count, done: count })
      .meta({ description: 'Instants of results, each counted once it is computed.' }),
    missing: z.record(z.string(), count).meta({
      description:
        'How many of the instants that are done have no value, by reason: `missing_input`, `division_by_zero`, `domain_error`, `overflow`, `window_too_large`, `invalid_expression` (saved by an earlier release, and no longer understood: save it anew).',
    }),
  })
  .meta({
    description:
      'How much is done, of how much that is known so far: `total` grows while new values reach what is calculated from them.',
  });

/** A recalculation with what caused it, and how far it is. */
const recalculationSchema = z.strictObject({
  ...runMembers,
  kind: z.literal('recalculation'),
  state: z.enum(states),
  error,
  cause: z.strictObject({ kind: z.enum(causes), id: idText }).meta({
    description:
      'The record whose change made it necessary; `operator`: the variable that an operator has recalculated.',
  }),
  progress,
});

/** A run of any kind as lists have it. */
export const anyRunSchema = z.discriminatedUnion('kind', [
  listedPointRunSchema,
  listedFileRunSchema,
  recalculationSchema,
]);

/** A run of any kind with all that is known of it. */
export const runDetailSchema = z.discriminatedUnion('kind', [pointRunSchema, fileRunSchema, recalculationSchema]);

type RecalculationJson = z.output<typeof recalculationSchema>;

function toProgressJson(run: Recalculation['progress']): RecalculationJson['progress'] {
  return {
    ranges: { total: run?.rangesTotal ?? 0, done: run?.rangesDone ?? 0, skipped: run?.rangesSkipped ?? 0 },
    instants: { total: run?.instantsTotal ?? 0, done: run?.instantsDone ?? 0 },
    missing: run?.missing ?? {},
  };
}

/** A recalculation. Nobody counts how often one was begun. Words that are newer than this gateway are passed on. */
export function toRecalculationJson(run: Recalculation): RecalculationJson {
  const { errorCode } = run;
  return {
    run_id: run.runId,
    kind: 'recalculation',
    state: run.state as RecalculationJson['state'],
    error: errorCode === '' ? null : { code: errorCode as ErrorCode, message: recalculationErrorMessage(errorCode) },
    attempts: 0,
    created_at: formatInstant(run.createdAtUs),
    finished_at: run.finishedAtUs === undefined ? null : formatInstant(run.finishedAtUs),
    cause: { kind: run.causeKind as (typeof causes)[number], id: run.causeId },
    progress: toProgressJson(run.progress),
  };
}

/** A recalculation for the document. */
export const recalculationExample: RecalculationJson = {
  run_id: exampleIds.run,
  kind: 'recalculation',
  state: 'running',
  error: null,
  attempts: 0,
  created_at: '2026-01-31T12:00:01.250Z',
  finished_at: null,
  cause: { kind: 'calibration_constant', id: exampleIds.constant },
  progress: {
    ranges: { total: 3, done: 1, skipped: 0 },
    instants: { total: 52_560, done: 20_000 },
    missing: { missing_input: 12 },
  },
};
