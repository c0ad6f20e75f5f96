import { address, boolean, type Grammar, integer, oneOf, text, url } from './setting.js';

const addressOrNone: Grammar<string> = {
  accepts: 'host:port, or nothing',
  parse: (value) => (value === '' ? value : address.parse(value)),
};

const fileOrNone: Grammar<string> = { accepts: 'a path, or nothing', parse: (value) => value };

/** Settings by which the processes of a deployment know each other. */
export const peerSettings = {
  tlsCertFile: {
    env: 'TLS_CERT_FILE',
    doc: 'The certificate (PEM) that this process shows to services that it calls and to callers, with TLS_KEY_FILE and TLS_CA_FILE; without the three, calls between processes are plain, and services answer anybody: on a loopback, or with RPC_PLAIN.',
    grammar: fileOrNone,
    default: '',
  },
  tlsKeyFile: {
    env: 'TLS_KEY_FILE',
    doc: 'The private key (PEM) of TLS_CERT_FILE.',
    grammar: fileOrNone,
    default: '',
  },
  tlsCaFile: {
    env: 'TLS_CA_FILE',
    doc: 'The authority (PEM) of the deployment: certificates of it alone are those of peers.',
    grammar: fileOrNone,
    default: '',
  },
  tlsServerName: {
    env: 'TLS_SERVER_NAME',
    doc: 'The name that the certificates of services carry, whatever their addresses are.',
    grammar: text,
    default: 'weir',
  },
} as const;

/** Settings that every process has. */
export const processSettings = {
  logLevel: {
    env: 'LOG_LEVEL',
    doc: 'How much is logged.',
    grammar: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
  },
  drainMs: {
    env: 'DRAIN_MS',
    doc: 'How long a stopping process keeps serving after it says that it is not ready, in milliseconds.',
    grammar: integer(0, 60_000),
    default: '0',
  },
  metricsAddress: {
    env: 'METRICS_ADDRESS',
    doc: 'Where the metrics are that Prometheus scrapes, as host:port with the path /metrics; none unless set.',
    grammar: addressOrNone,
    default: '',
  },
  ...peerSettings,
} as const;

/** Settings of every gRPC service. */
export const serverSettings = {
  listenAddress: {
    env: 'LISTEN_ADDRESS',
    doc: 'Where the gRPC server listens; port 0 takes a free one.',
    grammar: address,
    default: '0.0.0.0:50051',
  },
  healthAddress: {
    env: 'HEALTH_ADDRESS',
    doc: 'Where health alone answers without a certificate, for probes that have none, as host:port; nowhere unless set.',
    grammar: addressOrNone,
    default: '',
  },
  rpcPlain: {
    env: 'RPC_PLAIN',
    doc: 'Whether anybody may call this process where it has no TLS_CERT_FILE and listens elsewhere than on a loopback: for networks that keep others out. Without it, such a process does not start.',
    grammar: boolean,
    default: 'false',
  },
} as const;

/**
 * Settings of a process that uses PostgreSQL. Statements run as `role`, which the migration of
 * the owning service creates with just the rights it needs.
 */
export function postgresSettings<const R extends string>(role: R) {
  return {
    databaseUrl: {
      env: 'DATABASE_URL',
      doc: 'PostgreSQL, with a login that is a member of the service role.',
      grammar: url('postgres', 'postgresql'),
      secret: true,
    },
    databaseRole: {
      env: 'DATABASE_ROLE',
      doc: 'The role that statements run as.',
      grammar: text,
      default: role,
    },
    databasePoolMax: {
      env: 'DATABASE_POOL_MAX',
      doc: 'Connections to PostgreSQL that this process holds at most.',
      grammar: integer(1, 500),
      default: '10',
    },
  } as const;
}

/** Settings of a process that uses JetStream. */
export const natsSettings = {
  natsUrl: {
    env: 'NATS_URL',
    doc: 'NATS with JetStream.',
    grammar: url('nats', 'tls'),
    secret: true,
  },
  natsStreamPrefix: {
    env: 'NATS_STREAM_PREFIX',
    doc: 'First part of stream, subject and consumer names, so that several deployments can share a server.',
    grammar: text,
    default: 'weir',
  },
  natsReplicas: {
    env: 'NATS_REPLICAS',
    doc: 'Copies of the stream that the NATS cluster keeps.',
    grammar: integer(1, 5),
    default: '1',
  },
  natsStreamBytesMax: {
    env: 'NATS_STREAM_BYTES_MAX',
    doc: 'Bytes that may wait in the stream of runs; when it is full, runs wait in PostgreSQL.',
    grammar: integer(1_048_576, Number.MAX_SAFE_INTEGER),
    default: '1073741824',
  },
} as const;

/** Setting that names where another service answers. */
export function serviceAddress<const E extends string>(env: E, service: string) {
  return { env, doc: `Where the ${service} service answers.`, grammar: address } as const;
}

// Limits that one service keeps and the gateway tells: both must be given the same.

/** Limits of dashboards. */
export const dashboardLimits = {
  widgetsPerDashboardMax: {
    env: 'WIDGETS_PER_DASHBOARD_MAX',
    doc: 'Widgets that one dashboard may have; the same for the gateway and the dashboards service.',
    grammar: integer(1, 1000),
    default: '200',
  },
} as const;

/** Limits of queries. */
export const queryLimits = {
  queryObservationsMax: {
    env: 'QUERY_OBSERVATIONS_MAX',
    doc: 'Observations that one query may read to aggregate them; a larger one is refused before it begins. The same for the gateway and the query service.',
    grammar: integer(1000, 1_000_000_000_000),
    default: '50000000',
  },
} as const;

/** Limits of parsers. */
export const parserLimits = {
  parserConfigurationBytesMax: {
    env: 'PARSER_CONFIGURATION_BYTES_MAX',
    doc: 'Bytes that the configuration of one parser may have, as canonical JSON (a page of parsers has many); the same for the gateway and the parsers service.',
    grammar: integer(1024, 1_048_576),
    default: '262144',
  },
  previewBytesMax: {
    env: 'PREVIEW_BYTES_MAX',
    doc: 'Bytes that a file may have of which a preview is asked; the same for the gateway and the parsers service.',
    grammar: integer(1024, 16_777_216),
    default: '1048576',
  },
} as const;
