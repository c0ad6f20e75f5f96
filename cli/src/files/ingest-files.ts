import { setTimeout as delay } from 'node:timers/promises';
import { isErrorCode, WeirError } from '@weir/kit/errors';
import type { LocalFile } from './collect-files.js';
import { type FileAnswer, type FileRunJson, type FileTry, sendFile } from './send-file.js';

/** How often a file is sent that the network or the server broke off. */
const triesMax = 6;
const pauseMaxMs = 30_000;
/** No file of the folder would fare better. */
const hopeless = new Set([401, 403, 404]);

/** What became of one file. */
export interface FileOutcome {
  readonly file: string;
  readonly bytes: number;
  /** The state of its run; `refused` when it has none. */
  readonly state: string;
  readonly run: FileRunJson | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Sends a file until there is an answer that another try would not change. */
async function sendPatiently(file: FileTry): Promise<FileAnswer> {
  for (let tries = 1; ; tries++) {
    const pauseMs = Math.min(500 * 2 ** tries, pauseMaxMs);
    try {
      const answer = await sendFile(file);
      if (!isPassing(answer.status) || tries === triesMax) return answer;
      await delay(Math.max(answer.retryAfterMs, pauseMs));
    } catch (error) {
      if (tries === triesMax) throw error;
      await delay(pauseMs);
    }
  }
}

/**
 * Sends one file, and tells what became of it.
 *
 * @throws WeirError when the same would become of every file: a wrong key, an unknown parser
 */
export async function ingestFile(
  { path, bytes }: LocalFile,
  {
    keyOf,
    ...file
  }: Omit<FileTry, 'path' | 'idempotencyKey'> & {
    /** The Idempotency-Key of a file. */
    readonly keyOf: (path: string) => string | Promise<string>;
  },
): Promise<FileOutcome> {
  const outcome = { file: path, bytes };
  try {
    const { status, body } = await sendPatiently({ ...file, path, idempotencyKey: await keyOf(path) });
    const { data, error = { code: 'internal', message: `The server answered ${status} without a reason.` } } = body;
    if (data !== undefined) return { ...outcome, state: data.run.state, run: data.run, error: data.run.error };
    if (hopeless.has(status)) throw new WeirError(isErrorCode(error.code) ? error.code : 'internal', error.message);
    return { ...outcome, state: 'refused', run: null, error };
  } catch (error) {
    if (error instanceof WeirError) throw error;
    const message = error instanceof Error ? error.message || error.name : String(error);
    return { ...outcome, state: 'refused', run: null, error: { code: 'not_sent', message } };
  }
}
