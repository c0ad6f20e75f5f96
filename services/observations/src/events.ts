import type { Logger } from '@weir/kit/log';

/** What is worth counting in a processor, one function an event. */
export interface ProcessorEvents {
  /** Batches are stored and their runs completed. */
  processed(event: {
    readonly batches: number;
    readonly points: number;
    readonly rows: number;
    readonly superseded: number;
    readonly durationMs: number;
  }): void;
  /** Messages could not be processed and come again. */
  retried(event: { readonly messages: number; readonly delayMs: number; readonly error: unknown }): void;
  /** Something that is needed does not answer; nothing is begun until it does. */
  dependencyAway(error: unknown): void;
  dependencyBack(): void;
  /** The runs of a batch failed, because it could not be processed. */
  gaveUp(event: { readonly batchId: number; readonly reason: string }): void;
  /** A message brought a batch that does not exist, as after a restore from a backup. */
  unknownBatch(batchId: number): void;
  /** A message is not what it should be; the sweeper publishes its batches again. */
  messageUnreadable(error: unknown): void;
  /** The stream or a consumer could not be used; it is made again. */
  pullFailed(event: { readonly consumer: string; readonly error: unknown }): void;
  /** Changes to what is calculated are in force from now on. */
  tookOver(event: { readonly changes: number }): void;
  /** Something that is repeated in the background fails; said once, until it goes on. */
  backgroundFailed(event: { readonly what: string; readonly error: unknown }): void;
  backgroundBack(event: { readonly what: string }): void;
  /** Calculated variables were computed, of a lane, as far as was possible at once. */
  computed(event: {
    readonly lane: 0 | 1;
    readonly variables: number;
    readonly instants: number;
    readonly changed: number;
    readonly durationMs: number;
  }): void;
  /** A variable could not be computed; what is given up stays marked, and nobody tries again. */
  computingFailed(event: { readonly variableKey: number; readonly isGivenUp: boolean; readonly error: unknown }): void;
}

/** The events as lines of a log. */
export function processorEvents(log: Logger): ProcessorEvents {
  return {
    processed({ durationMs, ...counts }) {
      log.debug({ ...counts, duration_ms: Math.round(durationMs) }, 'processed');
    },
    retried({ messages, delayMs, error }) {
      log.warn({ err: error, messages, delay_ms: delayMs }, 'messages come again');
    },
    dependencyAway(error) {
      log.warn({ err: error }, 'dependency away');
    },
    dependencyBack() {
      log.info('dependency back');
    },
    gaveUp({ batchId, reason }) {
      log.error({ batch_id: batchId, reason }, 'gave up a batch');
    },
    unknownBatch(batchId) {
      log.warn({ batch_id: batchId }, 'unknown batch');
    },
    messageUnreadable(error) {
      log.error({ err: error }, 'unreadable message');
    },
    pullFailed({ consumer, error }) {
      log.warn({ err: error, consumer }, 'pull failed');
    },
    tookOver(counts) {
      log.debug(counts, 'took over changes');
    },
    backgroundFailed({ what, error }) {
      log.warn({ err: error, what }, 'fails in the background');
    },
    backgroundBack({ what }) {
      log.info({ what }, 'goes on in the background');
    },
    computed({ durationMs, ...counts }) {
      log.debug({ ...counts, duration_ms: Math.round(durationMs) }, 'computed');
    },
    computingFailed({ variableKey, isGivenUp, error }) {
      const fields = { err: error, variable_key: variableKey };
      if (isGivenUp) log.error(fields, 'gave up computing');
      else log.warn(fields, 'computing failed');
    },
  };
}
