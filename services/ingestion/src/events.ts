import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import type { Lane } from '@weir/kit/nats';
import { noteInSpan } from '@weir/kit/telemetry';
import { metrics } from './metrics.js';

/** Runs that a span, and batches that a line of the log, names at most. */
const namedMax = 16;

/** A failure that goes on is logged so often at most. */
const repeatedLogMs = 5000;

const finalStates = metrics.completed.attributes['weir.run.state'];

/** How many runs became final, by how. */
export type CompletedRuns = Record<(typeof finalStates)[number], number>;

/** What is worth counting in the ingestion service: the counter, the log line and the name in one place. */
export interface Events {
  admitted(batches: number, runs: number): void;
  /** A call is answered, with the first run of each of its batches. */
  answered(firstRunIds: readonly string[]): void;
  replayed(batches: number): void;
  unavailable(): void;
  published(lane: Lane, batches: number): void;
  /** Batches that the sweeper will have to publish. */
  publishFailed(lane: Lane, batches: number, error: unknown): void;
  /** Batches that a processor has got from the stream, and the database does not have. */
  unknown(batchIds: readonly number[]): void;
  swept(batches: number): void;
  /** A message that no queued batch waited for was removed from the stream. */
  messageRemoved(lane: Lane, sequence: number): void;
  retried(runs: number, actor: { readonly type: string; readonly id: string }): void;
  completed(runs: CompletedRuns): void;
  /** A request begins to read a file, for the first time or again. */
  fileBegun(which: 'new' | 'again'): void;
  /** @param how - the state of the run, or its code */
  fileFinished(how: string): void;
  filesExpired(files: number): void;
  forgotten(keys: number, batches: number, files: number): void;
}

/** Counts events and logs them. */
export function createEvents(log: Logger): Events {
  const counted = createInstruments(metrics);
  let failuresLoggedMs = Number.NEGATIVE_INFINITY;
  return {
    admitted(batches, runs) {
      counted.batchesAdmitted.add(batches);
      counted.runsAdmitted.add(runs);
    },
    answered: (firstRunIds) => noteInSpan({ 'weir.run_ids': firstRunIds.slice(0, namedMax) }),
    replayed: (batches) => counted.replays.add(batches),
    unavailable: () => counted.unavailable.add(1),
    published: (lane, batches) => counted.published.add(batches, { 'weir.lane': lane }),
    publishFailed(lane, batches, error) {
      counted.publishFailed.add(batches, { 'weir.lane': lane });
      if (performance.now() - failuresLoggedMs < repeatedLogMs) return;
      failuresLoggedMs = performance.now();
      log.warn({ err: error, lane, batches }, 'publishing failed; the sweeper will publish again');
    },
    unknown(batchIds) {
      if (batchIds.length === 0) return;
      counted.unknown.add(batchIds.length);
      log.warn({ batch_ids: batchIds.slice(0, namedMax) }, 'unknown batches');
    },
    swept(batches) {
      counted.swept.add(batches);
      log.info({ batches }, 'published again what the stream had lost');
    },
    messageRemoved(lane, sequence) {
      counted.messagesRemoved.add(1);
      log.info({ lane, sequence }, 'removed a message from the stream that nothing waits for');
    },
    retried(runs, actor) {
      counted.retried.add(runs);
      log.info({ runs, actor }, 'runs queued again');
    },
    completed(runs) {
      for (const state of finalStates) counted.completed.add(runs[state], { 'weir.run.state': state });
    },
    fileBegun: (which) => counted.filesBegun.add(1, { 'weir.delivery': which }),
    fileFinished: (how) => counted.filesFinished.add(1, { 'weir.file.result': how }),
    filesExpired(files) {
      if (files === 0) return;
      counted.filesFinished.add(files, { 'weir.file.result': 'expired' });
      log.info({ files }, 'failed the runs of files that nobody went on with');
    },
    forgotten(keys, batches, files) {
      counted.keysForgotten.add(keys);
      counted.batchesDeleted.add(batches);
      if (keys + batches + files > 0) log.info({ keys, batches, files }, 'deleted what is older than its retention');
    },
  };
}
