import { callSeconds } from './metric.js';

const method = 'The methods of the services, as `package.Service/Method`.';
const status = 'The names of gRPC statuses.';
const errorType = 'Codes of errors.';

/** Calls between processes, counted by both sides. */
export const rpcMetrics = {
  server: {
    name: 'rpc.server.call.duration',
    kind: 'histogram',
    unit: 's',
    doc: 'How long calls took that this process answered, streams to their end.',
    attributes: { 'rpc.method': method, 'rpc.response.status_code': status, 'error.type': errorType },
    buckets: callSeconds,
  },
  client: {
    name: 'rpc.client.call.duration',
    kind: 'histogram',
    unit: 's',
    doc: 'How long calls took that this process made, retries included.',
    attributes: { 'rpc.method': method, 'rpc.response.status_code': status, 'error.type': errorType },
    buckets: callSeconds,
  },
} as const;

const pool = 'The pools of the process: `main`, and `exports` in the query service.';

/** What a process does with its database. */
export const databaseMetrics = {
  statements: {
    name: 'db.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    doc: 'How long statements took, the wait for a connection included. Transactions begin with their first statement, and merges of points commit with their last.',
    attributes: { 'db.operation.name': 'First words of SQL statements.', 'error.type': errorType },
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  connections: {
    name: 'db.client.connection.count',
    kind: 'gauge',
    unit: '{connection}',
    doc: 'Connections to PostgreSQL that are open.',
    attributes: { 'db.client.connection.pool.name': pool, 'db.client.connection.state': ['idle', 'used'] },
  },
  connectionsMax: {
    name: 'db.client.connection.max',
    kind: 'gauge',
    unit: '{connection}',
    doc: 'Connections to PostgreSQL that may be open.',
    attributes: { 'db.client.connection.pool.name': pool },
  },
  waiting: {
    name: 'db.client.connection.pending_requests',
    kind: 'gauge',
    unit: '{request}',
    doc: 'Statements and transactions that wait for a connection.',
    attributes: { 'db.client.connection.pool.name': pool },
  },
} as const;

/** What processes repeat in the background; the runbook says of each what is not done while it fails. */
const loops = [
  'backlog',
  'certificates',
  'change_retention',
  'changes',
  'file_expiry',
  'forgetting',
  'last_uses',
  'live',
  'recalculation',
  'recalculation_reports',
  'retention',
  'rollups',
  'sweep',
] as const;

/** A loop whose failures metrics tell. */
export type LoopName = (typeof loops)[number];

/** How a process itself is. */
export const processMetrics = {
  delayP99: {
    name: 'nodejs.eventloop.delay.p99',
    kind: 'gauge',
    unit: 's',
    doc: 'How late the event loop, asked every 20 ms, was at one in a hundred times since the last collection, or later.',
  },
  delayMax: {
    name: 'nodejs.eventloop.delay.max',
    kind: 'gauge',
    unit: 's',
    doc: 'The latest that the event loop, asked every 20 ms, was since the last collection; what begins within 20 ms of that may not be seen.',
  },
  utilization: {
    name: 'nodejs.eventloop.utilization',
    kind: 'gauge',
    unit: '1',
    doc: 'Share of the time since the last collection that the event loop was busy.',
  },
  collections: {
    name: 'v8js.gc.duration',
    kind: 'histogram',
    unit: 's',
    doc: 'How long garbage collections took.',
    attributes: { 'v8js.gc.type': ['major', 'minor', 'incremental', 'weakcb'] },
    buckets: [0.01, 0.1, 1, 10],
  },
  cpuTime: {
    name: 'process.cpu.time',
    kind: 'counter',
    unit: 's',
    doc: 'Processor time that this process used.',
    attributes: { 'cpu.mode': ['user', 'system'] },
  },
  memory: {
    name: 'process.memory.usage',
    kind: 'gauge',
    unit: 'By',
    doc: 'Memory that this process has resident.',
  },
  uptime: { name: 'process.uptime', kind: 'gauge', unit: 's', doc: 'How long this process has been running.' },
  ready: {
    name: 'weir.process.ready',
    kind: 'gauge',
    unit: '',
    doc: '1 while this process has what it needs to serve, 0 while it waits for it; of a gateway, 1 from when it has seen the access service.',
  },
  loopFailing: {
    name: 'weir.process.loop.failing',
    kind: 'gauge',
    unit: '',
    doc: '1 while the last round of something that this process repeats in the background failed, 0 after one that did not.',
    attributes: { 'weir.loop': loops },
  },
  certificateExpiry: {
    name: 'weir.process.certificate.expiry',
    kind: 'gauge',
    unit: 's',
    doc: 'When the certificate that this process shows to its peers expires, in seconds since 1970.',
  },
  spans: {
    name: 'otel.sdk.processor.span.processed',
    kind: 'counter',
    unit: '{span}',
    doc: 'Spans that were sent to the collector; with error.type queue_full: dropped because it was away or slow.',
    attributes: { 'error.type': 'queue_full, or names of exceptions of the exporter.' },
  },
} as const;
