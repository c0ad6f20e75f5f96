import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestBench } from './test-processor.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** A processor in a process of its own. */
export interface ForkedProcessor extends AsyncDisposable {
  /** Rejects when the process ends by itself. */
  readonly ended: Promise<never>;
}

async function rejectOnExit(child: ChildProcess): Promise<never> {
  let errors = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString()).slice(-4000);
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new Error(`the processor ended by itself: ${signal ?? code}\n${errors}`);
}

/** Starts a processor as it is built, with the settings of the bench and a heap of so many megabytes. */
export async function forkProcessor({ config }: TestBench, heapMb: number): Promise<ForkedProcessor> {
  const env = {
    LISTEN_ADDRESS: config.listenAddress,
    DRAIN_MS: '0',
    LOG_LEVEL: 'error',
    DATABASE_URL: config.databaseUrl,
    NATS_URL: config.natsUrl,
    NATS_STREAM_PREFIX: config.natsStreamPrefix,
    NATS_STREAM_BYTES_MAX: String(config.natsStreamBytesMax),
    VARIABLES_ADDRESS: config.variablesAddress,
    INGESTION_ADDRESS: config.ingestionAddress,
    // what is measured is its memory, on a machine of any speed
    ACK_WAIT_MS: '600000',
    STATEMENT_TIMEOUT_MS: '120000',
  };
  const child = fork(main, ['processor'], { execArgv: [`--max-old-space-size=${heapMb}`], env, silent: true });
  const ended = rejectOnExit(child);
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);
  return {
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
