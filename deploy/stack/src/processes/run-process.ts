import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { recordProcess, stopSignal, stopTimeoutMs } from './process-record.js';

/** How a process is started. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Both outputs are appended to it. */
  readonly logFile: string;
  /** Where the process is recorded. */
  readonly recordDirectory: string;
  /** Written to its standard input, which is empty otherwise. */
  readonly input?: string;
  /**
   * Resolves when the process is ready. The default waits for the message `{ ready: true }` that
   * a process of ours sends over the channel that it is then given. The signal ends the waiting.
   */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that was started and became ready. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** host:port that a process of ours says it listens on. */
  readonly address?: string;
  readonly exited: Promise<Exit>;
  /** Sends a signal; the process is then expected to end. */
  kill(signal: NodeJS.Signals): void;
  /** Asks it to stop, ends it by force when it does not in time, and answers how it ended. */
  stop(): Promise<Exit>;
}

const readyTimeoutMs = 60_000;
const logTailLines = 20;

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 127, signal: null }));
  });
}

function readyMessage(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve((message as { address?: string }).address));
  });
}

/** The end of a log, for a message to a person. */
export async function tailOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-logTailLines).join('\n');
}

/** "exit code 1" or "signal SIGKILL". */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/**
 * Starts a process, records it and waits until it is ready.
 *
 * @throws Error with the end of its log when it ends before it is ready, or is not ready in a minute
 */
export async function runProcess(spec: ProcessSpec): Promise<RunningProcess> {
  const log = openSync(spec.logFile, 'a', 0o600);
  const isOurs = spec.ready === undefined;
  const child = spawn(spec.command, [...spec.args], {
    env: { ...spec.env },
    // of its own group: Ctrl-C reaches only who stops the parts in the right order
    detached: true,
    stdio: [spec.input === undefined ? 'ignore' : 'pipe', log, log, ...(isOurs ? (['ipc'] as const) : [])],
  });
  closeSync(log);
  const exited = exitOf(child);
  child.stdin?.on('error', () => undefined).end(spec.input);
  if (child.pid === undefined) throw new Error(`${spec.name}: cannot run ${spec.command}`);
  const { pid } = child;
  await recordProcess(spec.recordDirectory, spec.name, pid);

  const waiting = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let address: string | undefined;
  const outcome = await Promise.race([
    (spec.ready?.(waiting.signal).then(() => undefined) ?? readyMessage(child)).then(
      (said) => {
        address = said;
        return 'ready' as const;
      },
      (error: unknown) => `does not work: ${String(error)}`,
    ),
    exited.then((exit) => `ended with ${describeExit(exit)}`),
    new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`was not ready in ${readyTimeoutMs / 1000} s`), readyTimeoutMs);
    }),
  ]);
  clearTimeout(timer);
  waiting.abort();
  if (outcome !== 'ready') {
    child.kill('SIGKILL');
    throw new Error(`${spec.name} ${outcome}. The end of ${spec.logFile}:\n${await tailOf(spec.logFile)}`);
  }
  const kill = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  return {
    name: spec.name,
    pid,
    ...(address === undefined ? {} : { address }),
    exited,
    kill,
    async stop() {
      const force = setTimeout(() => kill('SIGKILL'), stopTimeoutMs);
      kill(stopSignal);
      const exit = await exited;
      clearTimeout(force);
      return exit;
    },
  };
}
