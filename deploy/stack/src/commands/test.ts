import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, UsageError } from '../environment.js';
import { claimProcess, findProcess, findProcesses, stopProcess } from '../processes/process-record.js';
import { startServers } from '../servers/start-servers.js';
import { runVitest } from './run-vitest.js';

const kinds = ['unit', 'integration', 'contract', 'e2e', 'crash'];
/** Kinds that run only when they are named. */
const furtherKinds = ['chart', 'image', 'operations', 'fuzz'];
const kindsWithoutServers = new Set(['unit', 'chart', 'image']);
/** Projects of vitest that belong to a kind, where they are not the one of its name. */
const projectsOf: Readonly<Record<string, readonly string[]>> = { chart: ['chart', 'cluster'] };
const runner = 'runner';

/** Removes what test runs that were killed have left. */
export async function removeEndedTestRuns(dataDirectory: string): Promise<void> {
  const directory = join(dataDirectory, 'test');
  mkdirSync(directory, { recursive: true });
  for (const entry of readdirSync(directory)) {
    const run = join(directory, entry, 'run');
    if ((await findProcess(run, runner)) !== undefined) continue;
    await Promise.all((await findProcesses(run)).map((left) => stopProcess(run, left)));
    rmSync(join(directory, entry), { recursive: true });
  }
}

function parseTestArguments(args: readonly string[]): { asked: readonly string[]; options: readonly string[] } {
  const end = args.indexOf('--');
  const asked = end < 0 ? args : args.slice(0, end);
  const options = end < 0 ? [] : args.slice(end + 1);
  for (const kind of asked) {
    const all = [...kinds, ...furtherKinds];
    if (!all.includes(kind)) throw new UsageError(`there are no ${kind} tests, but ${all.join(', ')}`);
  }
  // named, the crashes are also those that take minutes
  const named = asked.includes('crash') ? [...asked, 'faults', 'rates'] : asked;
  return { asked: named.length === 0 ? kinds : named, options };
}

function needsServers(asked: readonly string[]): boolean {
  return asked.some((kind) => !kindsWithoutServers.has(kind));
}

/** `./dev test`: the asked kinds in one run of vitest, against servers of its own. */
export async function test(environment: Environment, args: readonly string[]): Promise<number> {
  const { asked, options } = parseTestArguments(args);
  await removeEndedTestRuns(environment.dataDirectory);
  const directory = join(environment.dataDirectory, 'test', String(process.pid));
  await claimProcess(join(directory, 'run'), runner);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  try {
    const { binaries, given } = environment;
    await using servers = needsServers(asked) ? await startServers(directory, { binaries, given }) : undefined;
    const projects = asked.flatMap((kind) => projectsOf[kind] ?? [kind]).flatMap((project) => ['--project', project]);
    const urls = servers && {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      NATS_URL: servers.natsUrl,
    };
    return await runVitest(environment, [...projects, ...options], { ...urls }, stop.signal);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
