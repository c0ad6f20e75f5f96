import { openPool } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { actor, createTestProject, presented, startedAccess } from './started-access.js';

test('S7: what is asked for a project is behind policies; whose a key is, and what an operator names by it, is not', async () => {
  await using access = await startedAccess();
  const { client } = access;
  const { projectId } = await createTestProject(client);
  const permissions = ['developer_api.runs.list'];
  const key = await client.createDeveloperKey({ projectId, name: 'a', permissions, actor });
  const connection = await client.createConnection({ projectId, name: 'a', provisioning: 'automatic', actor });
  const asked = { projectId, limit: 10 };
  expect((await client.listDeveloperKeys(asked)).keys).toHaveLength(1);
  expect((await client.listConnections(asked)).connections).toHaveLength(1);

  // policies that let work pass that is of all projects, and none that is of one
  await using pool = openPool({ url: access.databaseUrl, max: 1 });
  for (const table of ['developer_keys', 'connections']) {
    const text = `alter policy ${table}_project_policy on access.${table} using (current_setting('weir.project_id', true) = '*')`;
    await pool.query({ text, values: [] });
  }
  expect((await client.listDeveloperKeys(asked)).keys).toEqual([]);
  expect((await client.listConnections(asked)).connections).toEqual([]);
  await expect(client.createDeveloperKey({ projectId, name: 'b', permissions, actor })).rejects.toThrow();
  await expect(client.createConnection({ projectId, name: 'b', provisioning: 'automatic', actor })).rejects.toThrow();

  expect((await client.authenticateDeveloperKey(presented(key.plaintext))).projectId).toBe(projectId);
  expect((await client.authenticateIngestionKey(presented(connection.plaintext))).connection?.projectId).toBe(
    projectId,
  );
  expect((await client.revokeDeveloperKey({ keyId: key.key?.id ?? '', actor })).key?.revokedAtUs).toBeDefined();
  const connectionId = connection.connection?.id ?? '';
  expect((await client.updateConnection({ connectionId, enabled: false, actor })).connection?.enabled).toBe(false);
});
