import { spawn } from 'node:child_process';
import { mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, UsageError } from '../environment.js';
import { startObserving } from '../observe/start-observing.js';
import { parseOptions } from '../parse-options.js';
import { findProcess } from '../processes/process-record.js';
import { readRunningStack, supervisor } from '../running-stack.js';
import { summary } from '../summary.js';
import { type Report, superviseStack } from '../supervisor.js';
import { removeData, stopStack } from './down.js';
import { type SupervisorMessage, stopRequest } from './supervise.js';

const pollMs = 100;

/** Logs begin anew with each start; those of the one before are kept. */
function rotateLogs(logDirectory: string): void {
  const previous = `${logDirectory}.previous`;
  rmSync(previous, { recursive: true, force: true });
  mkdirSync(logDirectory, { recursive: true });
  renameSync(logDirectory, previous);
  mkdirSync(logDirectory);
}

async function waitForOther(environment: Environment): Promise<number> {
  while ((await findProcess(environment.runDirectory, supervisor)) !== undefined) {
    const stack = await readRunningStack(environment.runDirectory);
    if (stack !== undefined) {
      process.stdout.write(`Already running.\n${summary(stack)}`);
      return 0;
    }
    await sleep(pollMs);
  }
  throw new Error('the ./dev up that was at work here has failed');
}

/** Starts the supervisor as a process of its own and waits until it says that all is ready. */
async function startInBackground(environment: Environment, report: Report): Promise<void> {
  const logFile = join(environment.logDirectory, 'supervisor.log');
  const log = openSync(logFile, 'a', 0o600);
  const [script = ''] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, script, 'supervise'], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const stop = (): void => {
    child.kill('SIGINT');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  let failure = `it ended before it was ready: ${logFile} has its last words`;
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: SupervisorMessage) => {
      if ('ready' in message) resolve();
      else if ('failed' in message) failure = message.failed;
      else report(message.report);
    });
    child.once('exit', () => reject(new Error(failure)));
  });
  child.disconnect();
  child.unref();
}

/** `./dev up`: everything, in the foreground or in the background. */
export async function up(environment: Environment, args: readonly string[]): Promise<number> {
  const { detach, purge, observe } = parseOptions(args, { detach: true, purge: true, observe: true });
  if (detach && observe) throw new UsageError('--observe writes to this terminal: leave --detach away');
  const report: Report = (line) => void process.stderr.write(`· ${line}\n`);
  if (purge) {
    await stopStack(environment, report);
    await removeData(environment);
  }
  if ((await findProcess(environment.runDirectory, supervisor)) !== undefined) return waitForOther(environment);
  rotateLogs(environment.logDirectory);

  if (detach) {
    await startInBackground(environment, report);
    const stack = await readRunningStack(environment.runDirectory);
    if (stack === undefined) throw new Error(`it ended at once: see ${environment.logDirectory}`);
    process.stdout.write(
      `${summary(stack)}It runs in the background: ./dev down stops it. Logs: ${environment.logDirectory}\n`,
    );
    return 0;
  }
  const stopped = stopRequest();
  await using observing = observe ? await startObserving((text) => process.stdout.write(text)) : undefined;
  const supervised = await superviseStack(environment, report, observing);
  process.stdout.write(
    `${summary(supervised.stack)}${observing?.summary ?? ''}Ctrl-C stops it. Logs: ${environment.logDirectory}\n`,
  );
  await stopped;
  report('stopping');
  await supervised[Symbol.asyncDispose]();
  return 0;
}
