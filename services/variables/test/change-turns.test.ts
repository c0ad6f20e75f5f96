import { setTimeout as delay } from 'node:timers/promises';
import { openPool, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolve, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** One has its turn, and so many wait for theirs. */
const takenMax = 1 + 64;

test('changes of one project wait in a bounded number, none is begun for a caller that has gone, and names of points wait however many do', async () => {
  const { client } = service;
  const projectId = newProject();
  await client.createInstrument({ projectId, name: 'before', actor: operator });
  const admin = openPool({ url: service.databaseUrl, max: 1 });
  await using _ = admin;
  let provisioned: ReturnType<typeof resolve> | undefined;
  await admin.transaction(async (tx) => {
    await tx.query(sql`select from variables.catalogs where project_id = ${projectId}::uuid for update`);
    const create = (name: string) => client.createInstrument({ projectId, name, actor: operator }, { timeoutMs: 1500 });
    const waiting = Array.from({ length: takenMax }, (_, n) => errorOf(create(`left ${n}`)));
    await delay(300);
    const startedMs = performance.now();
    await expect(create('one too many')).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: expect.stringContaining('Many changes of this project wait'),
    });
    expect(performance.now() - startedMs).toBeLessThan(1000);
    await client.createInstrument({ projectId: newProject(), name: 'of another project', actor: operator });
    provisioned = resolve(client, projectId, { logger: ['level'] }, 'automatic');
    await Promise.all(waiting);
  });
  const { outcomes } = (await provisioned) ?? { outcomes: [] };
  expect(outcomes[0]).toMatchObject({ instrumentId: expect.any(String) });
  await client.createInstrument({ projectId, name: 'after', actor: operator });
  const { instruments } = await client.listInstruments({ projectId, limit: 100 });
  // the one that had its turn may have been made, though its caller waited no longer
  expect(
    instruments
      .map(({ name }) => name)
      .filter((name) => name !== 'left 0')
      .sort(),
  ).toEqual(['after', 'before', 'logger']);
});
