import { openPool, sql } from '@weir/kit/sql';
import { newProject } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { seedOf, startTestVariables } from './test-variables.js';

const waitingForConstants = sql`
  select from pg_locks
  where not granted and relation = 'variables.constants'::regclass
    and database = (select oid from pg_database where datname = current_database())`;

test('lists of one project wait for each other, and others go on', async () => {
  await using service = await startTestVariables({ DATABASE_POOL_MAX: '2' });
  const { client } = service;
  const [one, other] = [newProject(), newProject()];
  const { id: instrumentId } = await seedOf(client, one).instrument('logger');
  const { id: siteId } = await seedOf(client, other).site('weir');
  await using database = openPool({ url: service.databaseUrl, max: 1 });
  const { lists } = await database.transaction(async (tx) => {
    await tx.query(sql`lock table variables.constants in access exclusive mode`);
    const waiting = Array.from({ length: 3 }, () => client.listConstants({ projectId: one, instrumentId, limit: 1 }));
    await expect.poll(async () => (await tx.query(waitingForConstants)).rows, { timeout: 20_000 }).toHaveLength(1);
    const { sites } = await client.listSites({ projectId: other, limit: 1 });
    expect(sites.map(({ id }) => id)).toEqual([siteId]);
    return { lists: waiting };
  });
  expect((await Promise.all(lists)).map(({ constants }) => constants)).toEqual([[], [], []]);
});
