import { type Attributes, metrics } from '@opentelemetry/api';
import type { Logger } from '@weir/kit/log';

/** A failure that goes on is logged so often at most. */
const repeatedLogMs = 5000;

/** What is worth counting in the ingestion service: the counter, the log line and the name in one place. */
export interface Events {
  admitted(batches: number, runs: number): void;
  replayed(batches: number): void;
  unavailable(): void;
  published(lane: string, batches: number): void;
  /** Batches that the sweeper will have to publish. */
  publishFailed(lane: string, batches: number, error: unknown): void;
  swept(batches: number): void;
  retried(runs: number, actor: { readonly type: string; readonly id: string }): void;
  completed(runs: number): void;
  /** A request begins to read a file, for the first time or again. */
  fileBegun(which: 'new' | 'again'): void;
  /** @param how - the state of the run, or its code */
  fileFinished(how: string): void;
  filesExpired(files: number): void;
  forgotten(keys: number, batches: number, files: number): void;
}

/** Counts events and logs them. */
export function createEvents(log: Logger): Events {
  const meter = metrics.getMeter('weir.ingestion');
  const counter = (name: string, description: string) => {
    const made = meter.createCounter(`weir.ingestion.${name}`, { description });
    return (value: number, attributes: Attributes = {}): void => made.add(value, attributes);
  };
  const countBatches = counter('batches.admitted', 'Batches that were admitted.');
  const countRuns = counter('runs.admitted', 'Runs that were admitted.');
  const countReplays = counter('batches.replayed', 'Submissions that were replays of an admitted batch.');
  const countUnavailable = counter(
    'calls.unavailable',
    'Calls that were refused because too much waited, or the database did not answer.',
  );
  const countPublished = counter('batches.published', 'Batches that the stream took.');
  const countFailures = counter('batches.publish_failed', 'Batches that the stream did not take, left to the sweeper.');
  const countSwept = counter('batches.swept', 'Batches that were published again because the stream had lost them.');
  const countRetried = counter('runs.retried', 'Final runs that were queued again.');
  const countCompleted = counter('runs.completed', 'Runs that became final.');
  const countFiles = counter('files.begun', 'Requests that began to read a file.');
  const countFileEnds = counter('files.finished', 'Files that were read, by how that ended.');
  const countKeys = counter('keys.forgotten', 'Idempotency-Keys that were older than their retention.');
  const countDeleted = counter('batches.deleted', 'Batches that were older than their retention.');
  let failuresLoggedMs = Number.NEGATIVE_INFINITY;
  return {
    admitted(batches, runs) {
      countBatches(batches);
      countRuns(runs);
    },
    replayed: (batches) => countReplays(batches),
    unavailable: () => countUnavailable(1),
    published: (lane, batches) => countPublished(batches, { lane }),
    publishFailed(lane, batches, error) {
      countFailures(batches, { lane });
      if (performance.now() - failuresLoggedMs < repeatedLogMs) return;
      failuresLoggedMs = performance.now();
      log.warn({ err: error, lane, batches }, 'publishing failed; the sweeper will publish again');
    },
    swept(batches) {
      countSwept(batches);
      log.info({ batches }, 'published again what the stream had lost');
    },
    retried(runs, actor) {
      countRetried(runs);
      log.info({ runs, actor }, 'runs queued again');
    },
    completed: (runs) => countCompleted(runs),
    fileBegun: (which) => countFiles(1, { which }),
    fileFinished: (how) => countFileEnds(1, { how }),
    filesExpired(files) {
      if (files === 0) return;
      countFileEnds(files, { how: 'expired' });
      log.info({ files }, 'failed the runs of files that nobody went on with');
    },
    forgotten(keys, batches, files) {
      countKeys(keys);
      countDeleted(batches);
      if (keys + batches + files > 0) log.info({ keys, batches, files }, 'deleted what is older than its retention');
    },
  };
}
