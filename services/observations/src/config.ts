import {
  type ConfigOf,
  integer,
  natsSettings,
  postgresSettings,
  processSettings,
  queryLimits,
  serverSettings,
  serviceAddress,
} from '@weir/kit/config';

const changeRetentionDays = {
  env: 'CHANGE_RETENTION_DAYS',
  doc: 'How many days it is known what was changed: the age that a change_mark may have.',
  grammar: integer(1, 36_500),
  default: '30',
} as const;

/** What may be set for a processor. */
export const processorSettings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_observations_tenant'),
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
    doc: 'Points that are merged into one transaction, unless a single message has more; one with more than 32 values a point, or 1 KiB, counts as one for each 32 values or KiB.',
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
    doc: 'Time after which the messages of a processor that is gone go to another one, in milliseconds. One whose event loop stands still for half of it, and 5 s, ends itself.',
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
  changeRetentionDays,
  retentionIntervalMs: {
    env: 'RETENTION_INTERVAL_MS',
    doc: 'How often what is older than its retention is deleted, in milliseconds.',
    grammar: integer(1000, 86_400_000),
    default: '60000',
  },
  rollupIntervalMs: {
    env: 'ROLLUP_INTERVAL_MS',
    doc: 'How often rollups are made of what was stored since, in milliseconds.',
    grammar: integer(1000, 86_400_000),
    default: '30000',
  },
} as const;

/** What may be set for the query service. */
export const querySettings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_observations_query_tenant'),
  statementTimeoutMs: {
    env: 'STATEMENT_TIMEOUT_MS',
    doc: 'Ends a query that takes longer, in milliseconds.',
    grammar: integer(1, 3_600_000),
    default: '10000',
  },
  changeRetentionDays,
  ...queryLimits,
  exportsMax: {
    env: 'EXPORTS_MAX',
    doc: 'Exports that this process makes at the same time, each over a database connection of its own beside the pool.',
    grammar: integer(1, 1000),
    default: '4',
  },
  exportTimeoutMs: {
    env: 'EXPORT_TIMEOUT_MS',
    doc: "How long an export may take, in milliseconds; not less than the gateway's setting of this name.",
    grammar: integer(1000, 86_400_000),
    default: '3600000',
  },
} as const;

/** The settings of a processor in their parsed form. */
export type ProcessorConfig = ConfigOf<typeof processorSettings>;
/** The settings of the query service in their parsed form. */
export type QueryConfig = ConfigOf<typeof querySettings>;
