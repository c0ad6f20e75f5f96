import { connect } from '@weir/kit/rpc';
import { openPool, sql } from '@weir/kit/sql';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

let stack: TestStack;
let tenant: Tenant;
let project: ProjectApi;

beforeAll(async () => {
  stack = await openTestStack();
  tenant = await createTenant(stack.addresses.access);
  project = projectApiOf(stack.gatewayUrl, tenant);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const count = 10_000;
const pages = 100;
const changesPerPage = 10;

/** Does the same many times, some of it at once. */
async function repeat(times: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

test('pages have each of 10,000 records once while 1,000 are created and 1,000 renamed', {
  timeout: 300_000,
}, async () => {
  await using database = openPool({ url: stack.databaseUrl, max: 1 });
  const who = { type: 'user', id: 'test' };
  const { rows } = await database.query(sql`insert into variables.sites (project_id, id, name, created_by, updated_by)
    select ${tenant.projectId}, ('01920000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'Site ' || number, ${who}, ${who}
    from generate_series(1, ${count}::int) as number returning id`);
  const ids = rows.map((row) => row['id'] as string);
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page++) {
    const { items, next_cursor: next } = await project.done('GET', `/sites?limit=${count / pages}${cursor}`);
    seen.push(...items.map((site: { id: string }) => site.id));
    cursor = next === null ? null : `&cursor=${next}`;
    if (page >= pages) continue;
    // some that were listed already, some that are still to come
    await repeat(changesPerPage, 4, async (index) => {
      const change = page * changesPerPage + index;
      await project.done('POST', '/sites', { name: `New ${change}` });
      const { name } = await project.done('PATCH', `/sites/${ids[(change * 7919) % count]}`, { name: `A ${change}` });
      expect(name).toBe(`A ${change}`);
    });
  }
  expect(new Set(seen).size).toBe(seen.length);
  const known = new Set(ids);
  expect(known.size).toBe(count);
  expect(seen.filter((id) => known.has(id))).toHaveLength(count);
  expect(seen.length).toBeGreaterThan(count);
});

describe('a cursor', () => {
  let path: string;
  let cursor: string;
  beforeAll(async () => {
    const { id } = await project.done('POST', '/instruments', { name: 'Paged' });
    for (const name of ['a1', 'a2', 'a3'])
      await project.done('POST', `/instruments/${id}/ingested-variables`, { name });
    path = `/instruments/${id}/ingested-variables`;
    cursor = (await project.done('GET', `${path}?q=a&limit=1`)).next_cursor;
  });

  const refused = [400, 'invalid_cursor'];
  const told = async (target: string, of = project, key?: string) => {
    const { status, error } = await of.call('GET', target, undefined, key === undefined ? {} : { key });
    return [status, error?.code];
  };

  test('is opened with its own filters alone, by its key, for its operation and project', async () => {
    expect(await told(`${path}?q=a&limit=2&cursor=${cursor}`)).toEqual([200, undefined]);
    const calculated = path.replace('ingested', 'calculated');
    const { id } = await project.done('POST', '/instruments', { name: 'Other' });
    for (const target of [
      `${path}?cursor=${cursor}`,
      `${path}?q=A&cursor=${cursor}`,
      `${path}?q=a&include_archived=true&cursor=${cursor}`,
      `${calculated}?q=a&cursor=${cursor}`,
      `/instruments/${id}/ingested-variables?q=a&cursor=${cursor}`,
      `/variables?q=a&cursor=${cursor}`,
      `/sites?q=a&cursor=${cursor}`,
    ])
      expect([target, ...(await told(target))]).toEqual([target, ...refused]);

    using access = connect(AccessServiceDefinition, stack.addresses.access);
    const { projectId } = tenant;
    const actor = { type: 'user', id: 'test' };
    const permissions = ['developer_api.ingested_variables.list', 'developer_api.sites.list'];
    const { plaintext } = await access.createDeveloperKey({ projectId, name: 'other', permissions, actor });
    expect(await told(`${path}?q=a&cursor=${cursor}`, project, plaintext)).toEqual(refused);
    const stranger = projectApiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
    const sites = (await project.done('GET', '/sites?limit=1')).next_cursor;
    expect(await told(`/sites?limit=1&cursor=${sites}`)).toEqual([200, undefined]);
    expect(await told(`/sites?limit=1&cursor=${sites}`, stranger)).toEqual(refused);
  });

  test('is refused with any bit altered', async () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const target = `${path}?q=a&cursor=${altered.toString('base64url')}`;
      expect([bit, ...(await told(target))]).toEqual([bit, ...refused]);
    }
  });

  test('outlives the gateway that gave it', async () => {
    await stack.killAndRestart('gateway');
    expect(await told(`${path}?q=a&cursor=${cursor}`)).toEqual([200, undefined]);
  });
});
