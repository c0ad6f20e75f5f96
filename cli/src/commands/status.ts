import { parseConfig } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { findMigrations, readMigrationStates } from '@weir/kit/migrations';
import { whyNotServing } from '@weir/kit/rpc';
import { Command } from 'commander';
import { serviceNames, settings } from '../config.js';
import type { Context } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { withJson } from '../options.js';
import { toInstant } from '../records.js';
import { repositoryRoot } from '../repository-root.js';
import { connectIngestion, connectObservations } from '../services.js';

/** What waits longer to be processed is late, in milliseconds: points take less than a second. */
const lateAfterMs = 60_000;
/** A stream that is so full refuses messages soon; the alert has come at 0.8 of it. */
const fullShare = 0.95;

async function readServices(env: NodeJS.ProcessEnv) {
  const addresses = parseConfig(Object.fromEntries(serviceNames.map((name) => [name, settings[name].address])), env);
  return await Promise.all(
    Object.entries(addresses).map(async ([service, address]) => {
      const reason = (await whyNotServing(address)) ?? null;
      return { service, address, is_serving: reason === null, reason };
    }),
  );
}

/** Tells that a dependency does not answer from every other error. */
function orUnknown(error: unknown): 'unknown' {
  if (error instanceof WeirError && error.code === 'dependency_unavailable') return 'unknown';
  throw error;
}

/** Schemas need a login of the database, which few who look at the status have: null without one, unknown while it does not answer. */
async function readSchemas(env: NodeJS.ProcessEnv) {
  if (env[settings.migrate.databaseUrl.env] === undefined) return null;
  const { databaseUrl } = parseConfig(settings.migrate, env);
  const states = await readMigrationStates(databaseUrl, await findMigrations(repositoryRoot)).catch(orUnknown);
  if (states === 'unknown') return states;
  return states.map((state) => ({ ...state, is_current: state.version >= state.latest }));
}

/** Schemas as people read them, a line each. */
function describeSchemas(schemas: Awaited<ReturnType<typeof readSchemas>>): Record<string, string> {
  if (schemas === 'unknown') return { schemas: 'unknown: the database does not answer' };
  const lines = (schemas ?? []).map(({ service, version, latest, is_current }): [string, string] => [
    `schema ${service}`,
    is_current ? `version ${version}` : `version ${version}, BEHIND ${latest}: run weir migrate`,
  ]);
  return Object.fromEntries(lines);
}

/** What waits to be processed; null while the ingestion service does not answer. */
async function readQueue(context: Context) {
  using ingestion = connectIngestion(context);
  const queue = await ingestion.getQueue({}, { timeoutMs: 2000 }).catch(() => undefined);
  if (queue === undefined) return null;
  const { streamBytes, streamBytesMax, oldestFreshAdmittedAtUs: freshUs } = queue;
  return {
    unfinished_batches: queue.unfinishedBatches,
    unfinished_runs: queue.unfinishedRuns,
    oldest_admitted_at: toInstant(queue.oldestAdmittedAtUs),
    is_late: freshUs !== undefined && freshUs / 1000 < Date.now() - lateAfterMs,
    is_stream_connected: queue.isStreamConnected,
    is_backlog_full: queue.isBacklogFull,
    stream_share: streamBytes === undefined || !streamBytesMax ? null : streamBytes / streamBytesMax,
  };
}

type Queue = Awaited<ReturnType<typeof readQueue>>;

function isQueueWell(queue: Queue): boolean {
  if (queue === null) return false;
  const { is_stream_connected, is_backlog_full, is_late, stream_share } = queue;
  return is_stream_connected && !is_backlog_full && !is_late && (stream_share ?? 0) < fullShare;
}

/** The queue and the stream as people read them. */
function describeQueue(queue: Queue): { readonly queue: string; readonly stream: string } {
  if (queue === null) return { queue: 'unknown', stream: 'unknown' };
  const { unfinished_runs, unfinished_batches, oldest_admitted_at, is_late, is_backlog_full, stream_share } = queue;
  const waiting = `${unfinished_runs} runs of ${unfinished_batches} batches wait, the oldest since ${oldest_admitted_at ?? '-'}`;
  const late = is_late ? '; LATE: see whether processors run' : '';
  const refused = is_backlog_full ? '; NOTHING MORE IS ADMITTED' : '';
  const share = stream_share === null ? '' : `, ${Math.round(stream_share * 100)} % full`;
  const full = (stream_share ?? 0) < fullShare ? '' : ': points are admitted and WAIT IN POSTGRESQL';
  return {
    queue: `${waiting}${late}${refused}`,
    stream: queue.is_stream_connected ? `connected${share}${full}` : 'AWAY: points are admitted and wait in PostgreSQL',
  };
}

/** What waits to be computed; null while the service of observations does not answer. */
async function readBacklog(context: Context) {
  using observations = connectObservations(context);
  const backlog = await observations.getBacklog({}, { timeoutMs: 2000 }).catch(() => undefined);
  if (backlog === undefined) return null;
  return { live: backlog.live, recalculation: backlog.recalculation, put_aside: backlog.putAside };
}

/** Whether a gateway shares its limits with the others; null unless WEIR_METRICS_URL says where it tells that. */
async function readLimits(env: NodeJS.ProcessEnv): Promise<'shared' | 'alone' | 'unknown' | null> {
  const { metricsUrl } = settings.status;
  if (env[metricsUrl.env] === undefined) return null;
  const { url } = parseConfig({ url: metricsUrl }, env);
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  const value = /^weir_gateway_limits_degraded(?:\{.*\})? (\d)/m.exec((await answer?.text()) ?? '')?.[1];
  return value === undefined ? 'unknown' : value === '1' ? 'alone' : 'shared';
}

const describedLimits = {
  shared: 'shared by all gateways through Redis',
  alone: 'REDIS IS AWAY: each gateway limits by its share',
  unknown: 'unknown: the gateway does not tell its metrics',
} as const;

/** `weir status`: whether all is well. */
export function statusCommand(context: Context): Command {
  return withJson(new Command('status'))
    .description(
      'show whether each service serves, how far the schemas are, and what waits to be processed and computed',
    )
    .addHelpText(
      'after',
      '\nSchemas are shown when DATABASE_URL is set, limits when WEIR_METRICS_URL is. Exit code 1 when something is not well.',
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const services = await readServices(context.env);
      const schemas = await readSchemas(context.env);
      const queue = await readQueue(context);
      const calculations = await readBacklog(context);
      const limits = await readLimits(context.env);
      const isWell =
        services.every((service) => service.is_serving) &&
        schemas !== 'unknown' &&
        schemas?.every((schema) => schema.is_current) !== false &&
        isQueueWell(queue) &&
        (limits === null || limits === 'shared');
      const lines = {
        ...Object.fromEntries(
          services.map(({ service, address, reason }) => [
            `service ${service}`,
            reason === null ? `serving at ${address}` : `NOT SERVING at ${address}: ${reason}`,
          ]),
        ),
        ...describeSchemas(schemas),
        ...describeQueue(queue),
        ...(limits !== null && { limits: describedLimits[limits] }),
        calculations:
          calculations === null
            ? 'unknown'
            : `${calculations.live} live changes and ${calculations.recalculation} of recalculations wait, ${calculations.put_aside} are put aside`,
      };
      context.output.record(json ? { is_well: isWell, services, schemas, queue, calculations, limits } : lines, {
        json,
      });
      if (!isWell) context.setExitCode(exitCodes.failed);
    });
}
