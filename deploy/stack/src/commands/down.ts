import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { parseOptions } from '../parse-options.js';
import { findProcess, findProcesses, stopProcess } from '../processes/process-record.js';
import { supervisor } from '../running-stack.js';
import type { Report } from '../supervisor.js';
import { removeEndedTestRuns } from './test.js';

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Stops the supervisor, which stops its parts, and then what one that was killed has left. */
export async function stopStack({ runDirectory }: Environment, report: Report): Promise<void> {
  const running = await findProcess(runDirectory, supervisor);
  if (running !== undefined) {
    report('stopping');
    await stopProcess(runDirectory, running);
  }
  await Promise.all((await findProcesses(runDirectory)).map((left) => stopProcess(runDirectory, left)));
}

/** Removes all private data but the Node that was fetched and those of tests that run now. */
export async function removeData({ dataDirectory }: Environment): Promise<void> {
  await removeEndedTestRuns(dataDirectory);
  for (const entry of entriesOf(dataDirectory)) {
    if (entry !== 'node' && entry !== 'test') rmSync(join(dataDirectory, entry), { recursive: true });
  }
  for (const directory of [join(dataDirectory, 'test'), dataDirectory]) {
    if (entriesOf(directory).length === 0) rmSync(directory, { recursive: true, force: true });
  }
}

/** `./dev down`: stops what `up` started; with --purge its data go as well. */
export async function down(environment: Environment, args: readonly string[]): Promise<number> {
  const { purge } = parseOptions(args, { purge: true });
  const report: Report = (line) => void process.stderr.write(`· ${line}\n`);
  await stopStack(environment, report);
  if (purge) await removeData(environment);
  report(purge ? 'nothing runs, and its data are removed' : 'nothing runs; its data stay for the next ./dev up');
  return 0;
}
