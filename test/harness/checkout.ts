import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** This checkout with private data of a test's own: what `./dev` starts there is apart from any other. */
export interface Checkout extends AsyncDisposable {
  readonly dataDirectory: string;
  /** Runs a script with bash at the root of the repository. */
  run(script: string): Promise<Ended>;
  /** Pids of all processes that were started here, running or not. */
  pids(): Promise<Map<string, number>>;
}

/** The environment of a person who calls `./dev`: nothing of the test run that this is part of. */
function personalEnvironment(dataDirectory: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, WEIR_DATA_DIR: dataDirectory };
}

/** Opens a checkout. Disposing stops what runs there and removes its data. */
export async function openCheckout(): Promise<Checkout> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'weir-checkout-'));
  const run: Checkout['run'] = (script) =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', script], {
        cwd: root,
        env: personalEnvironment(dataDirectory),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString('utf8');
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString('utf8');
      });
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
  return {
    dataDirectory,
    run,
    async pids() {
      const directory = join(dataDirectory, 'run');
      const files = (await readdir(directory)).filter((file) => file.endsWith('.process.json'));
      const pids = files.map(async (file): Promise<[string, number]> => {
        const { pid } = JSON.parse(await readFile(join(directory, file), 'utf8')) as { pid: number };
        return [file.replace('.process.json', ''), pid];
      });
      return new Map(await Promise.all(pids));
    },
    async [Symbol.asyncDispose]() {
      await run('./dev down --purge');
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
