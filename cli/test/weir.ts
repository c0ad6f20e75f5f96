import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** What a run of the command line gave. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line with an environment of its own. */
export function weir(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> {
  const main = resolve(root, 'cli/dist/main.js');
  return new Promise((done) => {
    execFile(process.execPath, [main, ...args], { env: { ...env } }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Runs it with `--json` and gives the document; a failure of the command fails the test. */
export async function weirJson<T = Record<string, unknown>>(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<T> {
  const { code, stdout, stderr } = await weir([...args, '--json'], env);
  if (code !== 0) throw new Error(`weir ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
