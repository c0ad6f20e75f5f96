import {
  type ConfigOf,
  integer,
  natsSettings,
  postgresSettings,
  processSettings,
  serverSettings,
} from '@weir/kit/config';

/** What may be set for the ingestion service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_ingestion_tenant'),
  ...natsSettings,
  admissionWaitingMax: {
    env: 'ADMISSION_WAITING_MAX',
    doc: 'Submissions that may wait for a commit before further ones are refused.',
    grammar: integer(1, 1_000_000),
    default: '10000',
  },
  admissionWaitingBytesMax: {
    env: 'ADMISSION_WAITING_BYTES_MAX',
    doc: 'Bytes of points that may wait for a commit before further submissions are refused.',
    grammar: integer(1, 4_294_967_296),
    default: '134217728',
  },
  backlogRunsMax: {
    env: 'BACKLOG_RUNS_MAX',
    doc: 'Runs that may wait to be processed before further points are refused with 503 until there is room again.',
    grammar: integer(1, 1_000_000_000),
    default: '10000000',
  },
  sweepIntervalMs: {
    env: 'SWEEP_INTERVAL_MS',
    doc: 'How often queued batches are looked for that the stream has lost, in milliseconds.',
    grammar: integer(10, 3_600_000),
    default: '5000',
  },
  sweepAfterMs: {
    env: 'SWEEP_AFTER_MS',
    doc: 'How old a publication is before it may count as lost, in milliseconds.',
    grammar: integer(10, 3_600_000),
    default: '10000',
  },
  sweepAgainMs: {
    env: 'SWEEP_AGAIN_MS',
    doc: 'A batch that is queued so long after its publication is published again in any case, in milliseconds.',
    grammar: integer(10, 86_400_000),
    default: '300000',
  },
  fileLeaseMs: {
    env: 'FILE_LEASE_MS',
    doc: 'A file that was not gone on with for so long has failed, until it is sent again; several times the 5 s after which gateways tell that they read on, in milliseconds.',
    grammar: integer(1000, 86_400_000),
    default: '60000',
  },
  idempotencyRetentionDays: {
    env: 'IDEMPOTENCY_RETENTION_DAYS',
    doc: 'How long an Idempotency-Key is remembered, in days.',
    grammar: integer(1, 36_500),
    default: '30',
  },
  runRetentionDays: {
    env: 'RUN_RETENTION_DAYS',
    doc: 'How long runs are kept once all of their batch have succeeded, and those of files once they are finished, in days; never shorter than Idempotency-Keys.',
    grammar: integer(1, 36_500),
    default: '90',
  },
  failedRunRetentionDays: {
    env: 'FAILED_RUN_RETENTION_DAYS',
    doc: 'How long runs that did not succeed are kept, with their payload, so that they can be retried, in days; 0 for as long as nobody has. Never shorter than the others.',
    grammar: integer(0, 36_500),
    default: '0',
  },
  retentionIntervalMs: {
    env: 'RETENTION_INTERVAL_MS',
    doc: 'How often what is older than its retention is deleted, in milliseconds.',
    grammar: integer(10, 86_400_000),
    default: '3600000',
  },
} as const;

/** The parsed settings. */
export type IngestionConfig = ConfigOf<typeof settings>;
