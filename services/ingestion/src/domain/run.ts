import { isRunErrorCode, runErrorCodes } from '@weir/kit/run-codes';

/** What a run may be. */
export type RunState = 'queued' | 'succeeded' | 'partially_succeeded' | 'failed';

/** What went wrong, for a program and for a person. */
export interface RunError {
  readonly code: string;
  readonly message: string;
}

/** A variable that was not stored, by its position in the point. */
export interface VariableDeviation {
  readonly position: number;
  readonly outcome: 'superseded' | 'failed';
  readonly error?: RunError | undefined;
}

/** A batch as far as it tells the state of its runs. */
export interface BatchStanding {
  readonly runCount: number;
  /** When its runs finished; those that deviate say so themselves. */
  readonly finishedAtUs?: number | undefined;
  /** How often its runs were begun until then. */
  readonly attempts: number;
  /** How often it was begun since it was queued; undefined when it is not. */
  readonly queueAttempts?: number | undefined;
}

/** A run that does not stand as its batch does. */
export interface Deviation {
  readonly state: RunState;
  /** In all; while it is queued, before it was queued again. */
  readonly attempts: number;
  /** Older messages do not settle it. */
  readonly queuedEpoch: number;
  readonly finishedAtUs?: number | undefined;
  readonly error?: RunError | undefined;
  /** While it is queued again, those of before where it had succeeded partially: what failed then is tried again. */
  readonly variables: readonly VariableDeviation[];
  /** Its variables by position, empty where it has none; undefined where they are those of its batch. */
  readonly variableIds?: readonly string[] | undefined;
}

/** What people see of a run's state. */
export interface RunStanding {
  readonly state: RunState;
  readonly attempts: number;
  readonly finishedAtUs?: number | undefined;
  readonly error?: RunError | undefined;
}

/** How a run stands. */
export function standingOf(batch: BatchStanding, deviation: Deviation | undefined): RunStanding {
  const queueAttempts = batch.queueAttempts ?? 0;
  if (deviation === undefined) {
    return batch.finishedAtUs === undefined
      ? { state: 'queued', attempts: queueAttempts }
      : { state: 'succeeded', attempts: batch.attempts, finishedAtUs: batch.finishedAtUs };
  }
  const { state, attempts, finishedAtUs, error } = deviation;
  return state === 'queued' ? { state, attempts: attempts + queueAttempts } : { state, attempts, finishedAtUs, error };
}

/** An error's message as it is stored: none when it is the code's own sentence. */
export function storedMessage(error: RunError | undefined): string | null {
  if (error === undefined || (isRunErrorCode(error.code) && runErrorCodes[error.code] === error.message)) return null;
  return error.message;
}

/** The error that a code and a stored message stand for. */
export function errorOf(code: string, message: string | null | undefined): RunError {
  return { code, message: message ?? (isRunErrorCode(code) ? runErrorCodes[code] : '') };
}
