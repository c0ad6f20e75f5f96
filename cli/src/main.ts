#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { run } from './run.js';

/** The person's name; an arbitrary uid in a container has none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

// the next program in the pipe has seen enough
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// words that nobody takes change nothing of what was done, nor what the shell is to learn of it
process.stderr.on('error', () => undefined);

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  userName: userName(),
  version: manifest.version,
});
