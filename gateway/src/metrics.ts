import { callSeconds } from '@weir/kit/metrics';

const lookups = {
  kind: 'counter',
  unit: '{lookup}',
  attributes: { 'weir.cache.result': ['hit', 'miss'] },
} as const;

/** What a gateway counts, beside what every process does. */
export const metrics = {
  requests: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    doc: 'How long requests took, their bodies and answers included; without a status: the client went away.',
    attributes: {
      'http.request.method': 'The methods of HTTP, or `_OTHER`.',
      'http.route': 'Templates of paths; none for unknown paths.',
      'http.response.status_code': 'Statuses that are answered.',
      'error.type': 'The status of an error of the server, or client_gone.',
    },
    buckets: callSeconds,
  },
  active: {
    name: 'http.server.active_requests',
    kind: 'gauge',
    unit: '{request}',
    doc: 'Requests that are in progress.',
  },
  connections: {
    name: 'weir.gateway.connections',
    kind: 'gauge',
    unit: '{connection}',
    doc: 'Connections of clients that are open, idle ones too.',
  },
  connectionsClosed: {
    name: 'weir.gateway.connections.closed_for_room',
    kind: 'counter',
    unit: '{connection}',
    doc: 'Connections that were closed because there were as many as there may be.',
  },
  heldBytes: {
    name: 'weir.gateway.held',
    kind: 'gauge',
    unit: 'By',
    doc: 'Bytes of bodies, and of answers that were not taken yet, in memory.',
  },
  heldRefused: {
    name: 'weir.gateway.held.refused',
    kind: 'counter',
    unit: '{request}',
    doc: 'Requests that were refused because their key held as many bytes as it may.',
  },
  keyLookups: { ...lookups, name: 'weir.gateway.key_cache.lookups', doc: 'Keys that were known, or asked of access.' },
  degraded: {
    name: 'weir.gateway.limits.degraded',
    kind: 'gauge',
    unit: '',
    doc: '1 while limits are not shared with the other gateways, because Redis does not answer.',
  },
  decidedAlone: {
    name: 'weir.gateway.limits.decided_alone',
    kind: 'counter',
    unit: '{decision}',
    doc: 'Limits that were decided by the share of this gateway.',
  },
  refused: {
    name: 'weir.gateway.limits.refused',
    kind: 'counter',
    unit: '{request}',
    doc: 'Requests that a limit refused.',
    attributes: { 'weir.limit': ['rate', 'concurrency', 'failed_credentials'] },
  },
} as const;
