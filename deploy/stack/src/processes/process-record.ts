import { execFile } from 'node:child_process';
import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeWhole } from '../write-whole.js';

/** What is written about a started process, so that a later command can find it and nothing else. */
interface ProcessRecord {
  readonly pid: number;
  /** When the kernel started it: a pid that was given to another process since does not match. */
  readonly startedAt: string;
  /** The folder of the record: a copy of the checkout does not match. */
  readonly directory: string;
}

/** A process that an earlier command started and that is still there. */
export interface FoundProcess {
  readonly name: string;
  readonly pid: number;
}

/** Stops every kind of process alike: for PostgreSQL it means "fast", which ends sessions and writes a checkpoint. */
export const stopSignal = 'SIGINT';
/** How long a process may take to stop before it is ended by force. */
export const stopTimeoutMs = 30_000;
const pollMs = 50;
const run = promisify(execFile);

/** When a process started, so exactly that no other has the same; undefined when there is none, or only a zombie. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== 'linux') return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // the second field is the name in parentheses and may contain anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${boot.trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function fileOf(directory: string, name: string): string {
  return join(directory, `${name}.process.json`);
}

/** Records a running process in a folder, at once: half a record is taken for none, and forgotten. */
export async function recordProcess(directory: string, name: string, pid: number): Promise<void> {
  const startedAt = await startOf(pid);
  if (startedAt === undefined) return;
  await mkdir(directory, { recursive: true });
  const record: ProcessRecord = { pid, startedAt, directory };
  writeWhole(fileOf(directory, name), JSON.stringify(record));
}

/** Records this process under a name that no other running process holds; false when one does. */
export async function claimProcess(directory: string, name: string): Promise<boolean> {
  await findProcess(directory, name);
  const own = `claim-${process.pid}`;
  await recordProcess(directory, own, process.pid);
  try {
    await link(fileOf(directory, own), fileOf(directory, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(fileOf(directory, own));
  }
}

/** Gives up a name that this process has claimed. */
export async function releaseProcess(directory: string, name: string): Promise<void> {
  await rm(fileOf(directory, name), { force: true });
}

/** The recorded process, if it is still the one that was recorded; a stale record is removed. */
export async function findProcess(directory: string, name: string): Promise<FoundProcess | undefined> {
  try {
    const record = JSON.parse(await readFile(fileOf(directory, name), 'utf8')) as ProcessRecord;
    const isSame = record.directory === directory && record.startedAt === (await startOf(record.pid));
    if (isSame) return { name, pid: record.pid };
  } catch {
    // no record, or one that a lost disk cut off
  }
  await rm(fileOf(directory, name), { force: true });
  return undefined;
}

/** Every recorded process of a folder that still runs. */
export async function findProcesses(directory: string): Promise<FoundProcess[]> {
  const files = await readdir(directory).catch(() => []);
  const names = files.flatMap((file) => /^(.+)\.process\.json$/.exec(file)?.[1] ?? []);
  const found = await Promise.all(names.map((name) => findProcess(directory, name)));
  return found.filter((process) => process !== undefined);
}

/** Sends a signal to a process that may have ended meanwhile. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function waitForEnd(directory: string, name: string): Promise<boolean> {
  const deadline = Date.now() + stopTimeoutMs;
  while ((await findProcess(directory, name)) !== undefined) {
    if (Date.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/** Stops a recorded process: gently, and by force when it does not end in time. */
export async function stopProcess(directory: string, { name, pid }: FoundProcess): Promise<void> {
  signalProcess(pid, stopSignal);
  if (await waitForEnd(directory, name)) return;
  signalProcess(pid, 'SIGKILL');
  await waitForEnd(directory, name);
}
