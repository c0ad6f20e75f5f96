import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import { repositoryRoot } from '../paths.js';
import { capture } from './capture.js';
import { type FoundPattern, findPatterns } from './find-patterns.js';
import type { Verdict } from './verdict.js';

const sources = ['libs', 'services', 'gateway', 'cli', 'deploy'].flatMap((folder) => [
  `${folder}/**/*.ts`,
  `${folder}/**/*.mjs`,
]);
/** What reads nothing that others send. */
const tests = /\.test\.ts$|\/test\//;

/** What takes longer cannot be told, which is a fault as well. Nearly all take milliseconds. */
const timeoutMs = 30_000;

/** Why a pattern may take long; undefined when its time grows with the length of a text and no faster. */
export async function patternFault({ source, flags }: FoundPattern): Promise<string | undefined> {
  if (source === undefined) return 'is put together while the program runs; write it out, so that it can be scanned';
  // of texts that are tried by chance, the same each time
  const told = await check(source, flags, { timeout: timeoutMs, randomSeed: 1 });
  switch (told.status) {
    case 'safe':
      return undefined;
    case 'vulnerable':
      return `/${source}/${flags} takes ${told.complexity.summary} time, of ${told.attack.pattern}`;
    case 'unknown':
      return `/${source}/${flags} cannot be told: ${told.error.kind}`;
  }
}

/** S14: no regular expression takes a time that grows faster than the text, whoever sent that. */
export async function checkPatterns(): Promise<Verdict> {
  const listed = await capture('git', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...sources);
  if (listed.code !== 0) return { status: 'failed', output: listed.output };
  const files = listed.output
    .trim()
    .split('\n')
    .filter((file) => !tests.test(file));
  const found = files.flatMap((file) => findPatterns(file, readFileSync(join(repositoryRoot, file), 'utf8')));
  const faults: string[] = [];
  for (const pattern of found) {
    const fault = await patternFault(pattern);
    if (fault !== undefined) faults.push(`${pattern.place}: ${fault}`);
  }
  return faults.length === 0
    ? { status: 'passed', note: `${found.length} patterns` }
    : { status: 'failed', output: faults.join('\n') };
}
