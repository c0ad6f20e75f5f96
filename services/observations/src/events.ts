import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import { nowUs } from '@weir/kit/time';
import { type ComputedLane, markLanes } from './domain/mark-lanes.js';
import { metrics } from './metrics.js';

/** What is worth counting in a processor, one function an event. */
export interface ProcessorEvents {
  /** Batches are stored and their runs completed. */
  processed(event: {
    readonly batches: number;
    readonly points: number;
    readonly rows: number;
    readonly superseded: number;
    readonly durationMs: number;
    /** When each batch was admitted, and whether its message came for the first time. */
    readonly admissions: readonly { readonly admittedAtUs: number; readonly isFirst: boolean }[];
  }): void;
  /** The names of batches of a project were all known, or some of them were asked. */
  namesLookedUp(event: { readonly areKnown: boolean }): void;
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
    readonly lane: ComputedLane;
    readonly variables: number;
    readonly instants: number;
    readonly changed: number;
    readonly durationMs: number;
  }): void;
  /** A variable could not be computed; what is given up stays marked, and nobody tries again. */
  computingFailed(event: {
    readonly projectId: string;
    readonly variableId: string;
    readonly isGivenUp: boolean;
    readonly error: unknown;
  }): void;
  /** A calculated variable has expressions that cannot be evaluated; said once of each version that is to be computed. */
  calculationInvalid(event: {
    readonly projectId: string;
    readonly variableId: string;
    readonly expressions: readonly string[];
  }): void;
}

const laneNames = { [markLanes.live]: 'live', [markLanes.recalculation]: 'recalculation' } as const;

/** Counts the events and writes them into a log. */
export function processorEvents(log: Logger): ProcessorEvents {
  const counted = createInstruments(metrics);
  return {
    processed({ durationMs, admissions, ...counts }) {
      counted.batches.add(counts.batches);
      counted.points.add(counts.points);
      counted.rows.add(counts.rows);
      counted.superseded.add(counts.superseded);
      counted.merges.record(durationMs / 1000);
      const now = nowUs();
      for (const { admittedAtUs, isFirst } of admissions)
        counted.lag.record((now - admittedAtUs) / 1e6, { 'weir.delivery': isFirst ? 'first' : 'again' });
      log.debug({ ...counts, duration_ms: Math.round(durationMs) }, 'processed');
    },
    namesLookedUp: ({ areKnown }) => counted.catalogLookups.add(1, { 'weir.cache.result': areKnown ? 'hit' : 'miss' }),
    retried({ messages, delayMs, error }) {
      counted.retried.add(messages);
      log.warn({ err: error, messages, delay_ms: delayMs }, 'messages come again');
    },
    dependencyAway(error) {
      counted.dependenciesAway.add(1);
      log.warn({ err: error }, 'dependency away');
    },
    dependencyBack() {
      log.info('dependency back');
    },
    gaveUp({ batchId, reason }) {
      counted.gaveUp.add(1);
      log.error({ batch_id: batchId, reason }, 'gave up a batch');
    },
    unknownBatch(batchId) {
      counted.unknown.add(1);
      log.warn({ batch_id: batchId }, 'unknown batch');
    },
    messageUnreadable(error) {
      counted.unreadable.add(1);
      log.error({ err: error }, 'unreadable message');
    },
    pullFailed({ consumer, error }) {
      counted.pullsFailed.add(1);
      log.warn({ err: error, consumer }, 'pull failed');
    },
    tookOver(counts) {
      log.debug(counts, 'took over changes');
    },
    backgroundFailed({ what, error }) {
      counted.backgroundFailed.add(1);
      log.warn({ err: error, what }, 'fails in the background');
    },
    backgroundBack({ what }) {
      log.info({ what }, 'goes on in the background');
    },
    computed({ durationMs, ...counts }) {
      const lane = { 'weir.lane': laneNames[counts.lane] };
      counted.computedVariables.add(counts.variables, lane);
      counted.computedInstants.add(counts.instants, lane);
      counted.slices.record(durationMs / 1000, lane);
      log.debug({ ...counts, duration_ms: Math.round(durationMs) }, 'computed');
    },
    computingFailed({ projectId, variableId, isGivenUp, error }) {
      counted.computingFailed.add(1, { 'weir.result': isGivenUp ? 'given_up' : 'tried_again' });
      const fields = { err: error, project_id: projectId, variable_id: variableId };
      if (isGivenUp) log.error(fields, 'gave up computing');
      else log.warn(fields, 'computing failed');
    },
    calculationInvalid({ projectId, variableId, expressions }) {
      counted.calculationsInvalid.add(expressions.length);
      // a variable may have a thousand of them
      const fields = { project_id: projectId, variable_id: variableId, count: expressions.length };
      log.warn({ ...fields, expression: expressions[0] }, 'a calculation cannot be evaluated');
    },
  };
}
