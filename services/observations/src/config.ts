import {
  type ConfigOf,
  integer,
  natsSettings,
  postgresSettings,
  processSettings,
  serverSettings,
  serviceAddress,
} from '@weir/kit/config';

/** What may be set for a processor. */
export const processorSettings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_observations'),
  ...natsSettings,
  variablesAddress: serviceAddress('VARIABLES_ADDRESS', 'variables'),
  ingestionAddress: serviceAddress('INGESTION_ADDRESS', 'ingestion'),
  futureToleranceS: {
    env: 'FUTURE_TOLERANCE_S',
    doc: 'How far ahead of its admission the instant of a point may lie, in seconds.',
    grammar: integer(0, 3_155_760_000),
    default: '86400',
  },
  attemptsMax: {
    env: 'ATTEMPTS_MAX',
    doc: 'How often a batch is begun before its runs fail with processing_error.',
    grammar: integer(1, 1000),
    default: '5',
  },
  mergePointsMax: {
    env: 'MERGE_POINTS_MAX',
    doc: 'Points that are merged into one transaction, unless a single message has more.',
    grammar: integer(1, 1_000_000),
    default: '8000',
  },
  workers: {
    env: 'WORKERS',
    doc: 'Merges that are processed at the same time.',
    grammar: integer(1, 64),
    default: '2',
  },
  recalculationWorkers: {
    env: 'RECALCULATION_WORKERS',
    doc: 'Recalculations that are worked at at the same time; 0 leaves them to other processors.',
    grammar: integer(0, 64),
    default: '1',
  },
  sliceInstantsMax: {
    env: 'SLICE_INSTANTS_MAX',
    doc: 'Instants of a calculated variable that are computed in one transaction.',
    grammar: integer(1, 1_000_000),
    default: '10000',
  },
  ackWaitMs: {
    env: 'ACK_WAIT_MS',
    doc: 'Time after which the messages of a processor that is gone go to another one, in milliseconds.',
    grammar: integer(1000, 3_600_000),
    default: '30000',
  },
  retryDelayMs: {
    env: 'RETRY_DELAY_MS',
    doc: 'Pause before the first retry of a message, in milliseconds; it doubles up to a minute.',
    grammar: integer(1, 60_000),
    default: '1000',
  },
  statementTimeoutMs: {
    env: 'STATEMENT_TIMEOUT_MS',
    doc: 'Ends a statement that takes longer, in milliseconds.',
    grammar: integer(1, 3_600_000),
    default: '30000',
  },
} as const;

/** What may be set for the query service. */
export const querySettings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_observations_query'),
  statementTimeoutMs: {
    env: 'STATEMENT_TIMEOUT_MS',
    doc: 'Ends a query that takes longer, in milliseconds.',
    grammar: integer(1, 3_600_000),
    default: '10000',
  },
} as const;

/** The settings of a processor in their parsed form. */
export type ProcessorConfig = ConfigOf<typeof processorSettings>;
/** The settings of the query service in their parsed form. */
export type QueryConfig = ConfigOf<typeof querySettings>;
