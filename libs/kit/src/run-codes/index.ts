/**
 * The one table of what may go wrong with a run or with one of its variables: code → what happened and what to do,
 * the text that people read.
 */
export const runErrorCodes = {
  instrument_archived: 'The instrument or its site is archived; restore it and retry the run.',
  variable_archived: 'The variable is archived; restore it and retry the run.',
  site_not_found: 'The project has no such site; correct the site id and send the point again.',
  instrument_not_found:
    'There is no such instrument and the connection may not create it; create it and retry the run, or set provisioning to automatic.',
  instrument_ambiguous:
    'Several instruments have this name and the point names no site; send the point again with its site id.',
  variable_not_found:
    'The instrument has no such variable and the connection may not create it; create it and retry the run, or set provisioning to automatic.',
  variable_not_ingestible: 'The variable is calculated and takes no values; send them under another name.',
  value_type_mismatch: 'The value does not fit the value type of the variable; correct it and send the point again.',
  timestamp_out_of_range:
    'The timestamp lies before 1700, after 2250 or too far in the future; correct it and send the point again.',
  quota_exceeded:
    'What this deployment lets a project or an instrument have is used up; archive what is not needed or ask the operator for more, then retry the run.',
  file_interrupted:
    'The file did not come to its end; send it again under its Idempotency-Key, and it goes on where it stopped.',
  file_unreadable:
    'No row of the file could be read; its row errors say why. Correct the parser or the file and send it under a new Idempotency-Key.',
  processing_error:
    'The point could not be processed; retry the run, and report its id to the operator if it fails again.',
} as const satisfies Record<string, string>;

/** A stable code of a run's or a variable's error. */
export type RunErrorCode = keyof typeof runErrorCodes;

/** Whether a text is one of the codes of runs. */
export function isRunErrorCode(text: string): text is RunErrorCode {
  return Object.hasOwn(runErrorCodes, text);
}

/** The same of recalculations. */
export const recalculationErrorCodes = {
  cancelled:
    'The recalculation was cancelled; what it had not computed stays as it was until the variable is recalculated.',
  processing_error:
    'Results could not be computed; have the variable recalculated, and report the id of the run to the operator if it fails again.',
} as const satisfies Record<string, string>;

/** What an error of a recalculation means; of a code that is newer than this process there is nothing to say. */
export function recalculationErrorMessage(code: string): string {
  return Object.hasOwn(recalculationErrorCodes, code)
    ? recalculationErrorCodes[code as keyof typeof recalculationErrorCodes]
    : '';
}

/** Row errors that the run of a file keeps: the first ones. */
export const rowErrorsMax = 100;
