import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { allPermissions } from '@weir/kit/permissions';
import { connect } from '@weir/kit/rpc';
import { deleteStream, waitUntilDrained } from '@weir/kit/testing';
import { AccessServiceDefinition } from '@weir/proto/access';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { type ServerUrls, type Stack, type StackOptions, startStack } from '@weir/stack';
import pg from 'pg';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const drainTimeoutMs = 180_000;
const actor = { type: 'system', id: 'bench' };

/** Limits that no load here reaches; all else is as shipped. */
const unlimited = {
  LIMIT_INGESTION_REQUESTS_PER_SECOND: '1000000',
  LIMIT_INGESTION_REQUESTS_BURST: '1000000',
  LIMIT_INGESTION_CONCURRENT_REQUESTS: '100000',
  LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '1000000',
  LIMIT_DEVELOPER_REQUESTS_BURST: '1000000',
  LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '1000000',
  LIMIT_FAILED_CREDENTIALS_BURST: '1000000',
} as const;

/** A running stack with a database of its own, and a project to load. */
export interface Bench extends AsyncDisposable {
  readonly stack: Stack;
  readonly databaseUrl: string;
  /** A connection of its own to the stack's database, as its owner. */
  readonly sql: pg.Client;
  readonly origin: string;
  readonly projectId: string;
  /** Where the instruments of all loads stand. */
  readonly siteId: string;
  readonly developerHeaders: Readonly<Record<string, string>>;
  readonly ingestionHeaders: Readonly<Record<string, string>>;
  /** Waits until no run is queued, and nothing that points have marked waits to be computed. */
  drained(): Promise<void>;
  /** Runs admitted, and those that did not simply succeed. */
  runs(): Promise<{ readonly admitted: number; readonly deviating: number }>;
  observations(): Promise<number>;
}

function serverUrls(): ServerUrls {
  const read = (name: string): string => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not set: run this through ./dev bench`);
    return value;
  };
  return { databaseUrl: read('DATABASE_URL'), redisUrl: read('REDIS_URL'), natsUrl: read('NATS_URL') };
}

async function assertDurable(sql: pg.Client): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await sql.query(`show ${setting}`);
    const value = Object.values(rows[0] as object)[0];
    if (value !== 'on') throw new Error(`${setting} is ${value}: nothing is worth measuring without it`);
  }
}

/** Creates a database in the server of the run. Disposing drops it. */
export async function openDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const { databaseUrl } = serverUrls();
  const name = `weir_bench_${randomBytes(6).toString('hex')}`;
  const administer = async (text: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    try {
      await admin.query(text);
    } finally {
      await admin.end();
    }
  };
  await administer(`create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), [Symbol.asyncDispose]: () => administer(`drop database ${name} with (force)`) };
}

/** Connects as the database's owner. Disposing ends the connection. */
export async function openSql(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Starts all of Weir as shipped, one process a part. */
export async function openBench(
  options: Pick<StackOptions, 'processors' | 'replicas' | 'env' | 'envOf'> = {},
): Promise<Bench> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await openDatabase());
  await migrate(database.url, await findMigrations(root));
  const sql = opening.use(await openSql(database.url));
  await assertDurable(sql);
  const prefix = `bench_${randomBytes(6).toString('hex')}`;
  const servers = { ...serverUrls(), databaseUrl: database.url };
  opening.defer(() => deleteStream(servers.natsUrl, prefix));
  const stack = opening.use(
    await startStack({
      ...options,
      servers,
      prefix,
      env: { NODE_ENV: 'production', ...options.env },
      envOf: { ...options.envOf, gateway: { ...unlimited, ...options.envOf?.['gateway'] } },
    }),
  );
  const ingestion = opening.use(connect(IngestionServiceDefinition, stack.addresses.ingestion));
  const observations = opening.use(connect(ObservationsServiceDefinition, stack.addresses.observations));
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  const { organization } = await access.createOrganization({ name: 'bench', actor });
  const { project } = await access.createProject({ organizationId: organization?.id ?? '', name: 'bench', actor });
  const projectId = project?.id ?? '';
  using variables = connect(VariablesServiceDefinition, stack.addresses.variables);
  const { site } = await variables.createSite({ projectId, name: 'bench', timezone: 'UTC', actor });
  const developer = await access.createDeveloperKey({
    projectId,
    name: 'bench',
    permissions: [...allPermissions],
    actor,
  });
  const connection = await access.createConnection({ projectId, name: 'bench', provisioning: 'automatic', actor });
  const count = async (text: string): Promise<number> => Number(Object.values((await sql.query(text)).rows[0])[0]);
  const open = opening.move();
  return {
    stack,
    databaseUrl: database.url,
    sql,
    origin: stack.gatewayUrl,
    projectId,
    siteId: site?.id ?? '',
    developerHeaders: { authorization: `Bearer ${developer.plaintext}` },
    ingestionHeaders: { authorization: `Bearer ${connection.plaintext}`, 'content-type': 'application/json' },
    async drained() {
      await waitUntilDrained(ingestion, drainTimeoutMs);
      while ((await observations.getBacklog({})).live > 0) await new Promise((resolve) => setTimeout(resolve, 15));
    },
    async runs() {
      return {
        admitted: await count('select coalesce(sum(run_count), 0) from ingestion.batches'),
        deviating: await count('select count(*) from ingestion.run_deviations'),
      };
    },
    observations: () => count('select count(*) from observations.observations'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
