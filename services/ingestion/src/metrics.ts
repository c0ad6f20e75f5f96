const lane = { 'weir.lane': ['live', 'bulk'] } as const;

const batches = { kind: 'counter', unit: '{batch}' } as const;
const runs = { kind: 'counter', unit: '{run}' } as const;

/** What the ingestion service counts, beside what every process does. */
export const metrics = {
  batchesAdmitted: { ...batches, name: 'weir.ingestion.batches.admitted', doc: 'Batches that were admitted.' },
  runsAdmitted: {
    ...runs,
    name: 'weir.ingestion.runs.admitted',
    doc: 'Runs that were admitted: one for each point.',
  },
  replays: {
    ...batches,
    name: 'weir.ingestion.batches.replayed',
    doc: 'Submissions that were replays of an admitted batch.',
  },
  unavailable: {
    name: 'weir.ingestion.calls.unavailable',
    kind: 'counter',
    unit: '{call}',
    doc: 'Calls that were refused because too much waited, or the database did not answer.',
  },
  published: {
    ...batches,
    name: 'weir.ingestion.batches.published',
    doc: 'Batches that the stream took.',
    attributes: lane,
  },
  publishFailed: {
    ...batches,
    name: 'weir.ingestion.batches.publish_failed',
    doc: 'Batches that the stream did not take, left to the sweeper.',
    attributes: lane,
  },
  unknown: {
    ...batches,
    name: 'weir.ingestion.batches.unknown',
    doc: 'Batches that processors asked about and the database does not have, as after a restore from a backup.',
  },
  swept: {
    ...batches,
    name: 'weir.ingestion.batches.swept',
    doc: 'Batches that were published again because the stream had lost them.',
  },
  messagesRemoved: {
    name: 'weir.ingestion.messages.removed',
    kind: 'counter',
    unit: '{message}',
    doc: 'Messages that no queued batch waited for, removed from the stream: a NATS server that is killed may leave them.',
  },
  retried: { ...runs, name: 'weir.ingestion.runs.retried', doc: 'Final runs that were queued again.' },
  completed: {
    ...runs,
    name: 'weir.ingestion.runs.completed',
    doc: 'Runs that became final, by how.',
    attributes: { 'weir.run.state': ['succeeded', 'partially_succeeded', 'failed'] },
  },
  filesBegun: {
    name: 'weir.ingestion.files.begun',
    kind: 'counter',
    unit: '{file}',
    doc: 'Requests that began to read a file.',
    attributes: { 'weir.delivery': ['new', 'again'] },
  },
  filesFinished: {
    name: 'weir.ingestion.files.finished',
    kind: 'counter',
    unit: '{file}',
    doc: 'Files that were read, by how that ended.',
    attributes: { 'weir.file.result': 'States of runs, codes of their errors, or expired.' },
  },
  keysForgotten: {
    name: 'weir.ingestion.keys.forgotten',
    kind: 'counter',
    unit: '{key}',
    doc: 'Idempotency-Keys that were older than their retention.',
  },
  batchesDeleted: {
    ...batches,
    name: 'weir.ingestion.batches.deleted',
    doc: 'Batches that were older than their retention.',
  },
  backlogBatches: {
    name: 'weir.ingestion.backlog.batches',
    kind: 'gauge',
    unit: '{batch}',
    doc: 'Batches that wait to be processed, of the whole deployment.',
  },
  backlogRuns: {
    name: 'weir.ingestion.backlog.runs',
    kind: 'gauge',
    unit: '{run}',
    doc: 'Runs that wait to be processed, of the whole deployment.',
  },
  backlogAge: {
    name: 'weir.ingestion.backlog.oldest_age',
    kind: 'gauge',
    unit: 's',
    doc: 'How long the batch that was admitted first has been waiting, of those of which no run has ended: retried runs do not count. 0 when none waits.',
  },
  backlogFull: {
    name: 'weir.ingestion.backlog.full',
    kind: 'gauge',
    unit: '',
    doc: '1 while so much waits that nothing more is admitted (BACKLOG_RUNS_MAX).',
  },
  streamConnected: {
    name: 'weir.ingestion.stream.connected',
    kind: 'gauge',
    unit: '',
    doc: '1 while NATS is there, 0 while runs wait in PostgreSQL.',
  },
  streamMessages: {
    name: 'weir.ingestion.stream.messages',
    kind: 'gauge',
    unit: '{message}',
    doc: 'Messages in the stream of runs.',
  },
  streamSize: {
    name: 'weir.ingestion.stream.size',
    kind: 'gauge',
    unit: 'By',
    doc: 'Bytes in the stream of runs.',
  },
  streamSizeMax: {
    name: 'weir.ingestion.stream.size_max',
    kind: 'gauge',
    unit: 'By',
    doc: 'Bytes that the stream of runs may have.',
  },
} as const;
