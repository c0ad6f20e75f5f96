import {
  ConfigError,
  type ConfigOf,
  parseConfig,
  printConfig,
  type processSettings,
  type Settings,
} from '../config/index.js';
import { tuneCollections } from '../garbage/tune-collections.js';
import type { Started } from '../lifecycle/index.js';
import { createLogger, type Logger } from '../log/index.js';
import { usePeers, watchPeers } from '../rpc/peers.js';
import { flushTelemetry } from '../telemetry/index.js';
import { observeProcess } from './observe-process.js';

export { endWhenHung } from './end-when-hung.js';

/** Exit code of a process whose configuration is wrong (EX_CONFIG of sysexits.h). */
const exitConfig = 78;

/** A process that is not done so long after it was told to stop, and has drained, exits with 1, in milliseconds. */
const stopMs = 20_000;

/** Begins to count how the process is, and to tell Prometheus of it where that is asked for. */
async function startTelling(address: string): Promise<AsyncDisposable & { readonly url?: string }> {
  const observed = observeProcess();
  // what makes the text is loaded by those alone who want it
  const { startMetricsEndpoint } = address === '' ? {} : await import('../metrics/endpoint.js');
  const endpoint = await startMetricsEndpoint?.(address);
  return {
    ...(endpoint !== undefined && { url: endpoint.url }),
    async [Symbol.asyncDispose]() {
      observed[Symbol.dispose]();
      await endpoint?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Runs a process: reads settings from the environment, starts, waits for SIGTERM or SIGINT (or
 * the end of the parent that started it with an IPC channel), disposes and exits. Writes one line
 * `{"msg":"ready",…}` to the log when started. `--print-config` prints the effective settings instead.
 * An unhandled rejection or exception ends the process with 1.
 */
export async function runProcess<const S extends Settings & typeof processSettings>(options: {
  readonly name: string;
  readonly settings: S;
  readonly start: (config: ConfigOf<S>, log: Logger) => Promise<Started & { readonly address?: string }>;
}): Promise<void> {
  if (process.argv.includes('--print-config')) {
    process.stdout.write(`${printConfig(options.settings, process.env)}\n`);
    return;
  }
  let config: ConfigOf<S>;
  try {
    config = parseConfig(options.settings, process.env);
    // a service has more settings, by which it tells whether anybody could call it
    usePeers(config as ConfigOf<typeof processSettings>);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${options.name}: ${error.message}\n`);
    process.exit(exitConfig);
  }
  const { logLevel, drainMs, metricsAddress } = config as ConfigOf<typeof processSettings>;
  tuneCollections();
  const log = createLogger(options.name, logLevel);
  const die = (error: unknown): void => {
    log.fatal({ err: error }, 'unexpected error, exiting');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);

  const stopped = new Promise<string>((resolve) => {
    // told again, it goes on stopping
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
    if (process.send !== undefined) process.once('disconnect', () => resolve('parent ended'));
  });
  // from then on, so that one that cannot start ends as well
  const deadlineMs = drainMs + stopMs;
  void stopped.then(() => setTimeout(() => die(new Error(`not stopped within ${deadlineMs} ms`)), deadlineMs).unref());
  const telling = await startTelling(metricsAddress);
  const watching = watchPeers(log);
  const started = await options.start(config, log);
  log.info({ address: started.address, metrics: telling.url }, 'ready');
  process.send?.({ ready: true, address: started.address });

  log.info({ reason: await stopped }, 'stopping');
  await started[Symbol.asyncDispose]();
  await watching[Symbol.asyncDispose]();
  await flushTelemetry();
  await telling[Symbol.asyncDispose]();
  process.exit(0);
}
