import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@weir/kit/errors';
import { type StartedService, startedService, startLoop } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { connect, served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { acrossProjectsSettings, ProjectPlaces } from '@weir/kit/tenancy';
import { dayUs } from '@weir/kit/time';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { MakingWay } from './compute/making-way.js';
import { startBookkeeping } from './compute/start-bookkeeping.js';
import { startComputing } from './compute/start-computing.js';
import type { ProcessorConfig, QueryConfig } from './config.js';
import { processorEvents } from './events.js';
import { observeMarks } from './observe-marks.js';
import { deleteOldChanges, forgetStoredBatches } from './retention.js';
import { rollupRounds } from './rollups.js';
import { aggregateObservations } from './rpc/aggregate-observations.js';
import { Exporter } from './rpc/export-observations.js';
import { getBacklog } from './rpc/get-backlog.js';
import { getLastInstants } from './rpc/get-last-instants.js';
import { getLatestObservations } from './rpc/get-latest-observations.js';
import { listObservations } from './rpc/list-observations.js';
import { fixedPlans } from './store/fixed-plans.js';
import { requireSchema } from './store/schema.js';
import { connectStream } from './stream/connect-stream.js';
import { startConsuming } from './stream/consume.js';
import { NameResolver } from './stream/resolve-names.js';
import { SeriesMemory } from './stream/series-memory.js';

/** A processor listens after so long, whether NATS is there or not. */
const connectPatienceMs = 500;

/**
 * Starts a processor: it stores the points of admitted batches. Its gRPC server answers health only.
 * It starts and stays, whatever it needs may come later or go away.
 */
export async function startProcessor(config: ProcessorConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      max: config.databasePoolMax,
      statementTimeoutMs: config.statementTimeoutMs,
      settings: { ...fixedPlans, ...acrossProjectsSettings },
    }),
  );
  const ingestion = started.use(connect(IngestionServiceDefinition, config.ingestionAddress));
  const variables = started.use(connect(VariablesServiceDefinition, config.variablesAddress));
  const events = processorEvents(log);
  const makingWay = new MakingWay();

  await using working = new AsyncDisposableStack();
  working.use(observeMarks(pool));
  working.use(
    startLoop({
      name: 'rollups',
      intervalMs: config.rollupIntervalMs,
      work: rollupRounds(pool, makingWay),
      onError: (error) => log.warn({ err: error }, 'making rollups failed; it is tried again'),
    }),
  );
  working.use(
    startLoop({
      name: 'change_retention',
      intervalMs: config.retentionIntervalMs,
      work: async (signal) => {
        await deleteOldChanges(pool, config.changeRetentionDays, signal);
        await forgetStoredBatches(pool);
      },
      onError: (error) => log.warn({ err: error }, 'deleting old changes failed; it is tried again'),
    }),
  );
  const computing = working.use(
    startComputing({
      pool,
      events,
      makingWay,
      recalculationWorkers: config.recalculationWorkers,
      sliceInstantsMax: config.sliceInstantsMax,
    }),
  );
  working.use(startBookkeeping({ pool, variables, events, onTaken: () => computing.wake() }));
  const stream = working.use(
    connectStream({
      url: config.natsUrl,
      log,
      start: (clients) =>
        startConsuming({
          ...clients,
          prefix: config.natsStreamPrefix,
          stream: { replicas: config.natsReplicas, bytesMax: config.natsStreamBytesMax },
          processing: {
            pool,
            names: new NameResolver(variables, events),
            ingestion,
            memory: new SeriesMemory(),
            told: new Set(),
            events,
            computeLive: () => computing.computeLive(),
            pointsCame: () => makingWay.pointsCame(),
            futureToleranceUs: config.futureToleranceS * 1_000_000,
            attemptsMax: config.attemptsMax,
          },
          workers: config.workers,
          mergePointsMax: config.mergePointsMax,
          ackWaitMs: config.ackWaitMs,
          retryDelayMs: config.retryDelayMs,
        }),
    }),
  );
  // where everything is there, it says so from the first moment
  await Promise.race([stream.connected, delay(connectPatienceMs, undefined, { ref: false })]);
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [],
      isReady: async () => {
        if (!stream.isConnected) throw unavailable('NATS is not connected');
        await requireSchema(pool);
      },
      log,
      drainMs: config.drainMs,
    }),
  );
  // the work ends first, and the server, which tells how it goes, after it
  started.use(working.move());
  return startedService(started, server.address);
}

/** Starts the query service: reads of stored observations. */
export async function startQuery(config: QueryConfig, log: Logger): Promise<StartedService> {
  const database = {
    url: config.databaseUrl,
    role: config.databaseRole,
    keepsToProjects: true,
    statementTimeoutMs: config.statementTimeoutMs,
  };
  await using started = new AsyncDisposableStack();
  const pool = started.use(openPool({ ...database, max: config.databasePoolMax, settings: fixedPlans }));
  const exportPool = started.use(
    openPool({
      ...database,
      name: 'exports',
      max: config.exportsMax,
      // between two statements, some 700 kB of lines, an export waits for its reader
      settings: { ...fixedPlans, idle_in_transaction_session_timeout: '5min' },
    }),
  );
  const exporter = new Exporter(exportPool, config.exportsMax);
  /** Queries of one project wait for each other, and leave connections for those of others. */
  const places = new ProjectPlaces(Math.ceil(config.databasePoolMax / 2));
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(ObservationsServiceDefinition, {
          aggregateObservations: places.around((request) =>
            aggregateObservations(pool, request, config.queryObservationsMax),
          ),
          listObservations: places.around((request) =>
            listObservations(pool, request, config.changeRetentionDays * dayUs),
          ),
          exportObservations: (request, context) => exporter.exportObservations(request, context),
          getLastInstants: places.around((request) => getLastInstants(pool, request)),
          getLatestObservations: places.around((request) => getLatestObservations(pool, request)),
          getBacklog: () => getBacklog(pool),
        }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
      callMsMax: config.exportTimeoutMs,
    }),
  );
  return startedService(started, server.address);
}
