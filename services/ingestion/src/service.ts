import { listEntries } from '@weir/kit/audit';
import { type StartedService, startedService, startLoop } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { acrossProjectsSettings } from '@weir/kit/tenancy';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { watchBacklog } from './backlog.js';
import type { IngestionConfig } from './config.js';
import { createEvents } from './events.js';
import { expireFiles } from './expire-files.js';
import { observeBacklog } from './observe-backlog.js';
import { deleteExpired, type Walk } from './retention.js';
import { createAdmit } from './rpc/admit.js';
import { createAdmitFile } from './rpc/admit-file.js';
import { beginAttempts, takeBackAttempts } from './rpc/attempts.js';
import { createBeginFile, findFile } from './rpc/begin-file.js';
import { completeRuns } from './rpc/complete-runs.js';
import { findQueued } from './rpc/find-queued.js';
import { finishFile } from './rpc/finish-file.js';
import { getBatchBody } from './rpc/get-batch-body.js';
import { getQueue } from './rpc/get-queue.js';
import { getRun } from './rpc/get-run.js';
import { listRuns } from './rpc/list-runs.js';
import { retryRuns } from './rpc/retry-runs.js';
import { selectAuditEntries } from './store/audit.js';
import { requireSchema } from './store/schema.js';
import { createPublisher } from './stream/publisher.js';
import { openRunsStream } from './stream/runs-stream.js';
import { sweep } from './stream/sweep.js';

const statementTimeoutMs = 10_000;

/** Starts the ingestion service. It serves while PostgreSQL answers; NATS may come and go. */
export async function startIngestion(config: IngestionConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const events = createEvents(log);
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      max: config.databasePoolMax,
      statementTimeoutMs,
      // plans are kept from when the queue was short, and must be right when it is long
      settings: { ...acrossProjectsSettings, enable_seqscan: 'off' },
    }),
  );
  // admission, processing and sweeps are of all projects at once; what one project asks for reaches its rows alone
  const ofProjects = pool.keptToProjects;
  const stream = started.use(
    openRunsStream({
      url: config.natsUrl,
      prefix: config.natsStreamPrefix,
      replicas: config.natsReplicas,
      bytesMax: config.natsStreamBytesMax,
      log,
      onReady: () => sweeper.wake(),
    }),
  );
  const backlog = started.use(watchBacklog(pool, config.backlogRunsMax, log));
  started.use(observeBacklog(pool, stream, backlog));
  const publisher = started.use(createPublisher({ stream, prefix: config.natsStreamPrefix, events }));
  const ages = { afterMs: config.sweepAfterMs, againMs: config.sweepAgainMs };
  const sweeper = started.use(
    startLoop({
      name: 'sweep',
      intervalMs: config.sweepIntervalMs,
      work: (signal) => sweep({ pool, stream, publisher, events, ages }, signal),
      onError: (error) => log.warn({ err: error }, 'sweeping failed; it is tried again'),
    }),
  );
  const retention = {
    keyDays: config.idempotencyRetentionDays,
    runDays: config.runRetentionDays,
    failedRunDays: config.failedRunRetentionDays,
  };
  let walk: Walk | undefined;
  started.use(
    startLoop({
      name: 'retention',
      intervalMs: config.retentionIntervalMs,
      work: async (signal) => {
        walk = await deleteExpired({ pool, events, ...retention }, signal, walk);
      },
      onError: (error) => log.warn({ err: error }, 'deleting what is expired failed; it is tried again'),
    }),
  );
  started.use(
    startLoop({
      name: 'file_expiry',
      intervalMs: Math.ceil(config.fileLeaseMs / 4),
      work: (signal) => expireFiles(pool, events, signal),
      onError: (error) => log.warn({ err: error }, 'failing the runs of files that are over failed; it is tried again'),
    }),
  );
  const waitingMax = { submissions: config.admissionWaitingMax, bytes: config.admissionWaitingBytesMax };
  const { fileLeaseMs: leaseMs } = config;
  const admit = createAdmit({ pool, publisher, events, backlog, waitingMax });
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(IngestionServiceDefinition, {
          admit,
          findFile: (request) => findFile(ofProjects, request),
          beginFile: createBeginFile({ pool: ofProjects, events, leaseMs }),
          admitFile: createAdmitFile({ pool, publisher, events, backlog, leaseMs, waitingMax }),
          finishFile: (request) => finishFile(ofProjects, events, request),
          getRun: (request) => getRun(ofProjects, request),
          listRuns: (request) => listRuns(ofProjects, request),
          retryRuns: (request) => retryRuns({ pool: ofProjects, publisher, events }, request),
          beginAttempts: (request) => beginAttempts(pool, events, request),
          takeBackAttempts: (request) => takeBackAttempts(pool, request),
          findQueued: (request) => findQueued(pool, events, request),
          completeRuns: (request) => completeRuns(pool, events, request),
          getBatchBody: (request) => getBatchBody(pool, request),
          getQueue: () => getQueue(pool, { stream, backlog }),
        }),
        served(AuditServiceDefinition, {
          listEntries: (request) => listEntries(ofProjects, selectAuditEntries, request),
        }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  return startedService(started, server.address);
}
