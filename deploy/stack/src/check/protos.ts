import { resolve } from 'node:path';
import { repositoryRoot } from '../paths.js';
import { capture } from './capture.js';
import { byExitCode, type Verdict } from './verdict.js';

/** Where the present work left the main line; undefined without git or without a main line. */
async function baseCommit(): Promise<string | undefined> {
  for (const main of ['origin/main', 'main']) {
    const base = await capture('git', 'merge-base', 'HEAD', main);
    if (base.code === 0) return base.output.trim();
  }
  return undefined;
}

/** The contracts: buf's standard rules, and nothing that breaks readers of what the main line has. */
export async function checkProtos(): Promise<Verdict> {
  const lint = await capture('buf', 'lint', 'proto');
  if (lint.code !== 0) return byExitCode(lint);
  const base = await baseCommit();
  if (base === undefined) return { status: 'passed', note: 'linted; there is no main line to compare with' };
  const before = await capture('git', 'ls-tree', '--name-only', base, 'proto/buf.yaml');
  if (before.output === '') return { status: 'passed', note: 'linted; the main line has no contracts' };
  const gitDirectory = (await capture('git', 'rev-parse', '--git-common-dir')).output.trim();
  const against = `${resolve(repositoryRoot, gitDirectory)}#format=git,ref=${base},subdir=proto`;
  return byExitCode(await capture('buf', 'breaking', 'proto', '--against', against));
}
