import { type Grammar, peerSettings, serviceAddress, text, url } from '@weir/kit/config';

const nameOrNone: Grammar<string> = { accepts: 'a name, or nothing', parse: (value) => value };

/** Settings of the command line, by what needs them: a command reads those of its own alone. */
export const settings = {
  peers: peerSettings,
  access: { address: serviceAddress('ACCESS_ADDRESS', 'access') },
  variables: { address: serviceAddress('VARIABLES_ADDRESS', 'variables') },
  dashboards: { address: serviceAddress('DASHBOARDS_ADDRESS', 'dashboards') },
  parsers: { address: serviceAddress('PARSERS_ADDRESS', 'parsers') },
  ingestion: { address: serviceAddress('INGESTION_ADDRESS', 'ingestion') },
  observations: { address: serviceAddress('OBSERVATIONS_ADDRESS', 'observations') },
  actor: {
    name: {
      env: 'WEIR_ACTOR',
      doc: "Who makes changes, as the audit tells it; the name of the operating system's user unless given.",
      grammar: nameOrNone,
      default: '',
    },
  },
  gateway: {
    url: { env: 'WEIR_URL', doc: 'Where the gateway answers.', grammar: url('http', 'https') },
  },
  files: {
    ingestKey: {
      env: 'WEIR_INGEST_KEY',
      doc: 'The key of the ingestion connection that files are sent through; or give --key-file.',
      grammar: text,
      secret: true,
    },
  },
  status: {
    metricsUrl: {
      env: 'WEIR_METRICS_URL',
      doc: 'Where a gateway tells its metrics; the status then says whether limits are shared.',
      grammar: url('http', 'https'),
    },
  },
  migrate: {
    databaseUrl: {
      env: 'DATABASE_URL',
      doc: 'PostgreSQL, with a login that may create schemas and roles.',
      grammar: url('postgres', 'postgresql'),
      secret: true,
    },
  },
} as const;

/** Services that answer at an address of their own. */
export const serviceNames = ['access', 'variables', 'dashboards', 'parsers', 'ingestion', 'observations'] as const;
