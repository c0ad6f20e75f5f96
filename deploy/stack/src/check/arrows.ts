import { capture } from './capture.js';
import type { Verdict } from './verdict.js';

const folders = ['libs', 'services', 'gateway', 'cli', 'deploy', 'test'];

/**
 * Imports against the rules of .dependency-cruiser.mjs. A cruise that did not see every source file
 * proves nothing (with a compiler it does not know, it sees none and finds no fault), so it fails.
 */
export async function checkArrows(): Promise<Verdict> {
  const globs = folders.map((folder) => `${folder}/**/*.ts`);
  const files = await capture('git', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...globs);
  const expected = files.output.trim().split('\n').length;
  const { code, output } = await capture('depcruise', '--config', '.dependency-cruiser.mjs', ...folders);
  if (code !== 0) return { status: 'failed', output };
  const seen = Number(/\b(\d+) modules/.exec(output)?.[1] ?? 0);
  if (files.code !== 0 || seen < expected) {
    return { status: 'failed', output: `${seen} modules were seen, but there are ${expected} source files\n${output}` };
  }
  return { status: 'passed', note: `${expected} files` };
}
