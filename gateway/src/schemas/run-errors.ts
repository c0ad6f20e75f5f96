import { isRunErrorCode, type RunErrorCode, runErrorCodes } from '@weir/kit/run-codes';
import type { RunError } from '@weir/proto/ingestion';
import { z } from 'zod';

const codes = Object.keys(runErrorCodes).filter(isRunErrorCode) as [RunErrorCode, ...RunErrorCode[]];

/** What went wrong with a run or with one of its variables. */
export const runError = z
  .strictObject({
    code: z.enum(codes).meta({
      description: codes.map((code) => `\`${code}\`: ${runErrorCodes[code]}`).join('\n'),
    }),
    message: z.string(),
  })
  .nullable();

/** An error as services have it. A code that is newer than this gateway is passed on: it is no reason to fail. */
export function toErrorJson(error: RunError | undefined): z.output<typeof runError> {
  return error === undefined ? null : { code: error.code as RunErrorCode, message: error.message };
}
