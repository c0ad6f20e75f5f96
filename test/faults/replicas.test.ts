import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@weir/kit/rpc';
import { sql } from '@weir/kit/sql';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf, type RequestOptions } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { reading } from '../harness/points.js';
import { readPaths, type Service, services, tables } from '../harness/service-reads.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

/** Requests of a kind that are under way when a replica is killed. */
const together = 6;
/** So long a replica stays away at least, and the load goes on when it is back. */
const afterMs = 800;
/** So much is asked for steadily while it is away. */
const steadyMin = 100;
const pauseMs = 20;

const firstColumn = [{ column_number: 1 }];
const configuration = {
  timestamp: { columns: firstColumn, input_format: 'iso8601' },
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: [{ source_column: { header_name: 'Level' }, variable_name: 'level' }],
  },
};
/** A record that a service makes anew for each request. */
const creations: Partial<Record<Service, readonly [path: string, rest: object]>> = {
  variables: ['/sites', { latitude: 1, longitude: 2, timezone: 'UTC' }],
  dashboards: ['/dashboards', { widgets: [] }],
  parsers: ['/parsers', { configuration }],
};

interface Answered {
  readonly what: string;
  readonly id: string;
  readonly status: number;
}

let faults: FaultStack;
let tenant: Tenant;
/** Developer keys that nothing else uses: no gateway knows them yet. */
const freshKeys: string[] = [];
/** What is read of each service. */
let reads: Readonly<Record<Service, string>>;
beforeAll(async () => {
  // a backend of PostgreSQL tells which process waits there
  const names = services.map((name) => [`${name}-2`, { PGAPPNAME: `${name}-2` }]);
  faults = await openFaultStack({ replicas: 2, envOf: Object.fromEntries(names) });
  const { addresses } = faults.stack;
  tenant = await createTenant(addresses.access);
  using access = connect(AccessServiceDefinition, addresses.access);
  for (let key = 0; key < together; key++) {
    const actor = { type: 'user', id: 'test' };
    const { plaintext } = await access.createDeveloperKey({
      projectId: tenant.projectId,
      name: `key ${key}`,
      permissions: [],
      actor,
    });
    freshKeys.push(plaintext);
  }
  reads = await readPaths(faults, tenant);
});
afterAll(() => faults?.[Symbol.asyncDispose]());

let asked = 0;

/** A request by one of the gateways, in turn. */
async function ask(method: string, path: string, options: RequestOptions = {}): Promise<Answered> {
  const id = `asked-${asked++}`;
  const { gatewayUrls } = faults.stack;
  const api = apiOf(gatewayUrls[asked % gatewayUrls.length] ?? '', tenant);
  const headers = { ...options.headers, 'x-request-id': id };
  const { status, body } = await api.request(method, path, { ...options, headers });
  return { what: `${method} ${path} ${id}: ${status} ${JSON.stringify(body).slice(0, 300)}`, id, status };
}

const read = (service: Service, key?: string): Promise<Answered> =>
  ask('GET', reads[service], key === undefined ? {} : { key });
const ingest = (headers: Record<string, string> = {}): Promise<Answered> =>
  ask('POST', '/v1/ingest', { json: { data: [reading('steady', asked, 1)] }, headers });
const ingestByKey = (): Promise<Answered> => ingest({ 'idempotency-key': crypto.randomUUID() });
const create = (path: string, rest: object): Promise<Answered> =>
  ask('POST', `/dev-api/v1/p/${tenant.projectId}${path}`, { json: { ...rest, name: `made by ${asked}` } });

const isRefused = ({ status }: Answered): boolean => status >= 300;

/** Asks for everything that may be asked for twice, until it is told to stop. @returns what was answered until now, and what ends with it */
function askSteadily(stop: AbortSignal): { readonly seen: readonly Answered[]; readonly ended: Promise<unknown> } {
  const seen: Answered[] = [];
  const callers = [...services.map((service) => () => read(service)), ingestByKey].map(async (call) => {
    while (!stop.aborted) {
      seen.push(await call());
      await delay(pauseMs);
    }
  });
  return { seen, ended: Promise.all(callers) };
}

/**
 * Kills a replica while requests wait there for what is locked, and starts it again a moment after that, and after `whileAway`.
 *
 * @returns what the requests were answered
 */
async function killAmid(
  service: Service,
  begin: () => Promise<Answered>[],
  whileAway?: () => Promise<unknown>,
): Promise<Answered[]> {
  const name = `${service}-2`;
  const waiting = sql`select from pg_stat_activity where application_name = ${name} and wait_event_type = 'Lock'`;
  const { answers } = await faults.database.transaction(async (tx) => {
    await tx.query({ text: `lock table ${tables[service]} in access exclusive mode`, values: [] });
    const begun = Promise.all(begin());
    await expect.poll(async () => (await faults.database.query(waiting)).rows, { interval: 10 }).not.toEqual([]);
    await faults.stack.kill(name);
    return { answers: begun };
  });
  const answered = await answers;
  await Promise.all([delay(afterMs), whileAway?.()]);
  await faults.stack.restart(name);
  await faults.stack.ready();
  return answered;
}

/** How many batches each request has made. */
async function batchesOf(requests: readonly Answered[]): Promise<Map<string, number>> {
  const { rows } = await faults.database.query(sql`
    select request_id, count(*)::int as count from ingestion.batches
    where request_id = any(${requests.map(({ id }) => id)}) group by request_id`);
  return new Map(rows.map((row) => [String(row['request_id']), Number(row['count'])]));
}

const several = (call: (number: number) => Promise<Answered>): Promise<Answered>[] =>
  Array.from({ length: together }, (_, number) => call(number));

test.each(services)(
  'G3: one of two replicas of %s is killed amid requests: none that may be repeated fails, and none has two effects',
  async (service) => {
    const stop = new AbortController();
    const steady = askSteadily(stop.signal);
    const askMore = async (): Promise<void> => {
      for (const enough = steady.seen.length + steadyMin; steady.seen.length < enough && !stop.signal.aborted; )
        await delay(pauseMs);
    };
    const key = (number: number) => (service === 'access' ? freshKeys[number] : undefined);
    let amid: Answered[] = [];
    try {
      const reads = () => several((number) => read(service, key(number)));
      amid = await killAmid(service, reads, () => Promise.race([askMore(), steady.ended]));
      await delay(afterMs);
    } finally {
      stop.abort();
    }
    await steady.ended;
    expect([...amid, ...steady.seen].filter(isRefused)).toEqual([]);
  },
);

test.each(Object.entries(creations))(
  'G3: what %s was to make when its replica was killed is made once or not at all',
  async (service, [path, rest]) => {
    const made = await killAmid(service as Service, () => several(() => create(path, rest)));
    expect(made.filter(isRefused)).not.toEqual([]);
    // a second try would find the name taken
    for (const { what, status } of made) expect([201, 503], what).toContain(status);
  },
);

test('G3: points that were sent when a replica was killed are admitted once under their key, and without one at most once', async () => {
  // gateways take turns; at each both kinds go first and later, alone and in company
  const hasKey = (number: number): boolean => number % 4 === 0 || number % 4 === 3;
  const sent = await killAmid('ingestion', () => several((number) => (hasKey(number) ? ingestByKey() : ingest())));
  const batches = await batchesOf(sent);
  for (const [number, { id, what, status }] of sent.entries()) {
    const count = batches.get(id) ?? 0;
    expect(hasKey(number) ? [200] : [200, 503], what).toContain(status);
    // an answer that was lost may hide an admission
    expect(status === 200 ? [1] : [0, 1], what).toContain(count);
  }
});
