import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { run } from '../src/run.js';

export const root = resolve(import.meta.dirname, '../..');

/** What a run of the command line gave. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line with an environment of its own, as a pipe sees it. */
export async function weir(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  userName = userInfo().username,
): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  const code = await run({
    args,
    env,
    stdout: { write: (part) => (stdout += part) },
    stderr: { write: (part) => (stderr += part) },
    userName,
    version: '0',
  });
  return { code, stdout, stderr };
}

/** Runs it with `--json` and gives the document; a failure of the command fails the test. */
export async function weirJson<T = Record<string, unknown>>(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  userName?: string,
): Promise<T> {
  const { code, stdout, stderr } = await weir([...args, '--json'], env, userName);
  if (code !== 0) throw new Error(`weir ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
