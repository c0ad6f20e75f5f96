import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Addresses } from '@weir/stack';
import { root } from './checkout.js';

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** Runs the operator's command line against a stack, with further settings. */
export async function tryWeir(
  addresses: Addresses,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const named = Object.entries(addresses).map(([name, address]) => [`${name.toUpperCase()}_ADDRESS`, address]);
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(named), ...settings };
  const command = [join(root, 'cli/dist/main.js'), ...args];
  const run = promisify(execFile)(process.execPath, command, { env });
  return await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: Ended) => error,
  );
}

/** Runs the operator's command line against a stack. @returns what it prints, also when it says that not all is well */
export async function runWeir(addresses: Addresses, args: readonly string[]): Promise<string> {
  const { code, stdout } = await tryWeir(addresses, args);
  if (code > 1) throw new Error(`weir ${args.join(' ')} ended with ${code}`);
  return stdout;
}
