import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Addresses } from '@weir/stack';
import { root } from './checkout.js';

/** Runs the operator's command line against a stack. @returns what it prints, also when it says that not all is well */
export async function runWeir(addresses: Addresses, args: readonly string[]): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [`${name.toUpperCase()}_ADDRESS`, address]),
  );
  const command = [join(root, 'cli/dist/main.js'), ...args];
  const run = promisify(execFile)(process.execPath, command, { env: { PATH: process.env['PATH'], ...env } });
  const { stdout } = await run.catch((error: { stdout: string; code: number }) => {
    if (error.code !== 1) throw error;
    return error;
  });
  return stdout;
}
