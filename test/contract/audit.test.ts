import { allPermissions } from '@weir/kit/permissions';
import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { runWeir } from '../harness/weir.js';
import { createCaller, type Deviation } from './calls.js';
import { type DocumentedOperation, isCreate, readServedDocument } from './served-document.js';
import { createWorlds, idNames } from './world.js';

/**
 * Every operation of the served document that writes, by two keys, each on records that the other made: `weir audit`
 * tells who did what, when, and the revisions. An operation that is new is tested without a word here.
 */
const stack = await openTestStack({ envOf: { gateway: { LIMIT_DEVELOPER_REQUESTS_BURST: '100000' } } });
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

/** What is written with these is no record of an operator or a client, or nothing is. */
const silent = [
  // their runs name the connection, and what they bring about is too much
  'ingest_file',
  'ingest_points',
  // they answer what a file would give
  'developerapi_parsers_preview',
  'developerapi_parsers_preview_configuration',
];

/** What entries call a record, by where its family stands in paths. */
const recordTypes: Readonly<Record<string, string>> = {
  sites: 'site',
  instruments: 'instrument',
  'ingested-variables': 'variable',
  'calculated-variables': 'variable',
  'calibration-constants': 'calibration_constant',
  'instrument-groups': 'instrument_group',
  members: 'instrument_group_member',
  dashboards: 'dashboard',
  parsers: 'parser',
};

interface Entry {
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly action: string;
  readonly record_type: string;
  readonly record_id: string;
  readonly revision_before: number | null;
  readonly revision_after: number | null;
  readonly changed: readonly string[];
}

const { operations } = await readServedDocument(stack.gatewayUrl);
const worlds = createWorlds(operations);
const tenant = await createTenant(stack.addresses.access);
const keys = await createKeys();
const writes = operations.filter(({ method }) => method !== 'GET');
const audited = writes.filter(({ operationId }) => !silent.includes(operationId));

/** Two keys of the project, each with what calls as it. */
async function createKeys() {
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  const { projectId, ingestionKey: ingestion } = tenant;
  const create = async (name: string) => {
    const actor = { type: 'user', id: 'test' };
    const made = await access.createDeveloperKey({ projectId, name, permissions: [...allPermissions], actor });
    const call = createCaller(stack.gatewayUrl, { developer: made.plaintext, ingestion }, projectId);
    return { id: made.key?.id ?? '', call };
  };
  return { first: await create('first'), second: await create('second') };
}

/** What an entry of an operation is to say: action, and the revisions before and after. */
function expectedOf(operation: DocumentedOperation): readonly [string, number | null, number | null] {
  const { method, path } = operation;
  if (method === 'PUT') return ['added', null, null];
  if (method === 'DELETE') return ['removed', null, null];
  if (path.endsWith('/archive')) return ['archived', 1, 2];
  if (path.endsWith('/restore')) return ['restored', 2, 3];
  return isCreate(operation) ? ['created', null, 1] : ['updated', 1, 2];
}

/** An update by a body that changes something, by a name that no other record has: what an example says may be so already. */
function withOwnName({ method }: DocumentedOperation, body: Deviation['body']): Pick<Deviation, 'body'> {
  if (method !== 'PATCH' || typeof body !== 'string') return {};
  return { body: JSON.stringify({ ...JSON.parse(body), name: crypto.randomUUID() }) };
}

/** Has one key do what an operation does, on records that another has made. */
async function drive(operation: DocumentedOperation, maker: typeof keys.first, doer: typeof keys.first) {
  const world = worlds.open(maker.call);
  const example = await world.example(operation);
  const names = idNames(operation);
  if (operation.path.endsWith('/restore')) await world.archive(operation, names.at(-1) ?? '');
  const add = operations.find(({ path, method }) => path === operation.path && method === 'PUT');
  if (operation.method === 'DELETE' && add !== undefined) await maker.call(add, example);
  const from = Date.now();
  const answer = await doer.call(operation, { ...example, ...withOwnName(operation, example.body) });
  const until = Date.now();
  if (answer.status >= 300) throw new Error(`${operation.operationId}: ${answer.status} ${answer.text}`);
  const { data } = answer.text === '' ? { data: {} } : JSON.parse(answer.text);
  const ids = operation.path.includes('/members/') ? names.map((name) => example.path[name]) : [];
  const own = isCreate(operation) ? (data.resource ?? data.dashboard ?? data).id : example.path[names.at(-1) ?? ''];
  return { recordId: ids.length > 0 ? ids.join('/') : String(own), from, until };
}

const done = [];
for (const operation of audited) {
  for (const [maker, doer] of [
    [keys.first, keys.second],
    [keys.second, keys.first],
  ] as const)
    done.push({ id: operation.operationId, operation, doer: doer.id, ...(await drive(operation, maker, doer)) });
}
for (const operation of writes.filter(({ operationId }) => silent.includes(operationId)))
  await keys.first.call(operation, await worlds.open(keys.first.call).example(operation));
await stack.drained();
const printed = await runWeir(stack.addresses, ['audit', '--project', tenant.projectId, '--limit', '10000', '--json']);
const entries = (JSON.parse(printed) as { items: Entry[] }).items;

test.each(done)('$id by $doer is in weir audit', ({ operation, doer, recordId, from, until }) => {
  const [action, before, after] = expectedOf(operation);
  const found = entries.filter((entry) => entry.record_id === recordId && entry.action === action);
  const family = operation.path.split('/').findLast((part) => part in recordTypes) ?? '';
  expect(found).toMatchObject([
    {
      actor: { type: 'developer_api_key', id: doer },
      record_type: recordTypes[family],
      revision_before: before,
      revision_after: after,
    },
  ]);
  if (action === 'updated') expect(found[0]?.changed).toContain('name');
  const at = Date.parse(found[0]?.at ?? '');
  // of a statement, in a transaction of the request; one clock, cut to its milliseconds
  expect(at).toBeGreaterThanOrEqual(from - 1);
  expect(at).toBeLessThanOrEqual(until + 1);
});

test('what is audited is there, and what is not leaves nothing by another', () => {
  expect(audited.length).toBeGreaterThan(30);
  expect(silent.every((id) => writes.some(({ operationId }) => operationId === id))).toBe(true);
  const actors = new Set(entries.map(({ actor }) => `${actor.type} ${actor.id}`));
  expect([...actors].sort()).toEqual(
    [`developer_api_key ${keys.first.id}`, `developer_api_key ${keys.second.id}`, 'user test'].sort(),
  );
});

/** Members that stand in tables of their own, by the update of their record, with a value of them for each month. */
const beside: readonly [operationId: string, member: string, inMonth: (month: string, example: string) => unknown][] = [
  [
    'developerapi_calculated_variables_update',
    'calculations',
    (month, example) => [{ ...JSON.parse(example).calculations[0], start_time: month }],
  ],
  ['developerapi_calibration_constants_update', 'values', (month) => [{ start_time: month, value: 7 }]],
  [
    'developerapi_dashboards_update',
    'widgets',
    (month) => [
      { id: 'w'.repeat(21), type: 'text', layout: { x: 0, y: 0, w: 1, h: 1 }, configuration: { markdown: month } },
    ],
  ],
];

test.each(beside)(
  '%s names %s where they changed, alone or not, and only then',
  async (operationId, member, inMonth) => {
    const update = operations.find((operation) => operation.operationId === operationId) as DocumentedOperation;
    const example = await worlds.open(keys.first.call).example(update);
    const [february, march] = ['02', '03'].map((month) =>
      inMonth(`2026-${month}-01T00:00:00.000Z`, String(example.body)),
    );
    const bodies = [
      { [member]: february },
      { [member]: february, name: crypto.randomUUID() },
      { [member]: march, name: crypto.randomUUID() },
    ];
    for (const [index, body] of bodies.entries()) {
      const given = JSON.stringify({ ...body, expected_revision: index + 1 });
      expect((await keys.second.call(update, { ...example, body: given })).status).toBe(200);
    }
    const record = ['--record', example.path[idNames(update).at(-1) ?? ''] ?? '', '--json'];
    const { items } = JSON.parse(await runWeir(stack.addresses, ['audit', ...record])) as { items: Entry[] };
    const told = items.map(({ changed }) => changed.filter((name) => name !== 'widget_count'));
    expect(told).toEqual([[member, 'name'].sort(), ['name'], [member], []]);
    const updated = { action: 'updated', actor: { id: keys.second.id } };
    expect(items).toMatchObject([
      { ...updated, revision_before: 3, revision_after: 4 },
      { ...updated, revision_before: 2, revision_after: 3 },
      { ...updated, revision_before: 1, revision_after: 2 },
      { action: 'created', actor: { id: keys.first.id }, revision_before: null, revision_after: 1 },
    ]);
  },
);
