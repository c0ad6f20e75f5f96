import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { repositoryRoot } from '../paths.js';

/** How a command ended and all that it printed. */
export interface Captured {
  readonly code: number;
  readonly output: string;
}

const binaries = join(repositoryRoot, 'node_modules', '.bin');

/** Runs a command at the root of the repository, with the tools of its packages on the PATH. */
export function capture(command: string, ...args: readonly string[]): Promise<Captured> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      cwd: repositoryRoot,
      env: { ...process.env, PATH: `${binaries}${delimiter}${process.env['PATH']}`, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output: stripVTControlCharacters(output) }));
  });
}
