import { parseKey } from '@weir/kit/keys';
import type { CreateConnectionResponse } from '@weir/proto/access';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actor, createTestProject, failure, presented, type StartedAccess, startedAccess } from './started-access.js';

const unknownId = '01920000-0000-7000-8000-000000000000';
let access: StartedAccess;
let projectId: string;
beforeAll(async () => {
  access = await startedAccess();
  ({ projectId } = await createTestProject(access.client));
});
afterAll(() => access[Symbol.asyncDispose]());

async function create(name: string): Promise<CreateConnectionResponse & { id: string }> {
  const created = await access.client.createConnection({ projectId, name, provisioning: 'automatic', actor });
  return { ...created, id: created.connection?.id ?? '' };
}

const find = async (id: string) =>
  (await access.client.listConnections({ projectId, limit: 1000 })).connections.find(
    (connection) => connection.id === id,
  );

describe('a new connection', () => {
  test('is enabled, has a key that is shown once, and is listed', async () => {
    const expiresAtUs = Date.UTC(2200, 0, 1) * 1000;
    const request = { projectId, name: 'Loggers', provisioning: 'strict', expiresAtUs, actor };
    const { connection, plaintext } = await access.client.createConnection(request);
    expect(parseKey(plaintext)).toMatchObject({ kind: 'ingestion', id: connection?.id });
    expect(connection).toMatchObject({
      projectId,
      name: 'Loggers',
      provisioning: 'strict',
      enabled: true,
      expiresAtUs,
    });
    expect(connection?.secrets).toMatchObject([{ hint: plaintext.slice(-4) }]);
    expect(await find(connection?.id ?? '')).toEqual(connection);
  });

  test('tells all faults at once', async () => {
    const request = { projectId, name: '\u0007', provisioning: 'maybe', expiresAtUs: Date.now() * 1000 - 1, actor };
    const error = await failure(access.client.createConnection(request));
    expect(error.code).toBe('invalid_request');
    expect(error.details.map((detail) => detail.path)).toEqual(['/name', '/provisioning', '/expires_at']);
  });

  test('has a name of its own within the project', async () => {
    await create('Taken');
    expect(await failure(create('Taken'))).toMatchObject({ code: 'name_conflict' });
  });

  test.each([unknownId, 'nowhere'])('needs a project that exists: %s', async (nowhere) => {
    const request = { projectId: nowhere, name: 'Lost', provisioning: 'automatic', actor };
    expect(await failure(access.client.createConnection(request))).toMatchObject({ code: 'not_found' });
    const listing = access.client.listConnections({ projectId: nowhere, limit: 1 });
    expect(await failure(listing)).toMatchObject({ code: 'not_found' });
  });
});

describe('a change', () => {
  test('leaves what it does not name', async () => {
    const { id } = await create('Before');
    const renamed = await access.client.updateConnection({ connectionId: id, name: ' After ', actor });
    expect(renamed.connection).toMatchObject({ name: 'After', provisioning: 'automatic', enabled: true });
    const strict = await access.client.updateConnection({ connectionId: id, provisioning: 'strict', actor });
    expect(strict.connection).toMatchObject({ name: 'After', provisioning: 'strict', enabled: true });
    const disabled = await access.client.updateConnection({ connectionId: id, enabled: false, actor });
    expect(disabled.connection).toMatchObject({ name: 'After', provisioning: 'strict', enabled: false });
    expect(await find(id)).toEqual(disabled.connection);
  });

  test('into a taken name is name_conflict, and to its own name is fine', async () => {
    const { id } = await create('Mine');
    await create('Theirs');
    const taking = access.client.updateConnection({ connectionId: id, name: 'Theirs', actor });
    expect(await failure(taking)).toMatchObject({ code: 'name_conflict', details: [{ path: '/name' }] });
    await access.client.updateConnection({ connectionId: id, name: 'Mine', actor });
  });

  test('of nothing, or to something illegal, is refused', async () => {
    const { id } = await create('Kept');
    expect(await failure(access.client.updateConnection({ connectionId: id, actor }))).toMatchObject({
      code: 'invalid_request',
      details: [{ code: 'nothing_to_change' }],
    });
    const illegal = access.client.updateConnection({ connectionId: id, name: '', provisioning: 'x', actor });
    expect((await failure(illegal)).details.map((detail) => detail.path)).toEqual(['/name', '/provisioning']);
  });

  test.each([unknownId, 'nowhere'])('of a connection that is not there is not_found: %s', async (nowhere) => {
    for (const call of [
      () => access.client.updateConnection({ connectionId: nowhere, enabled: true, actor }),
      () => access.client.rotateConnectionKey({ connectionId: nowhere, actor }),
      () => access.client.revokeConnectionKey({ connectionId: nowhere, actor }),
    ])
      expect(await failure(call())).toMatchObject({ code: 'not_found', message: 'There is no such connection.' });
  });
});

describe('its key', () => {
  test('is rotated over two live secrets and no more', async () => {
    const { id, plaintext, connection } = await create('Rotated');
    const second = await access.client.rotateConnectionKey({ connectionId: id, actor });
    for (const text of [plaintext, second.plaintext])
      expect((await access.client.authenticateIngestionKey(presented(text))).connection?.id).toBe(id);
    expect(await failure(access.client.rotateConnectionKey({ connectionId: id, actor }))).toMatchObject({
      code: 'lifecycle_conflict',
      details: [{ code: 'two_live_secrets' }],
    });
    const secretId = connection?.secrets[0]?.id ?? '';
    const revoked = await access.client.revokeConnectionKey({ connectionId: id, secretId, actor });
    expect(await access.client.revokeConnectionKey({ connectionId: id, secretId, actor })).toEqual(revoked);
    expect(await failure(access.client.authenticateIngestionKey(presented(plaintext)))).toMatchObject({
      code: 'invalid_credential',
    });
    expect((await access.client.rotateConnectionKey({ connectionId: id, actor })).connection?.secrets).toHaveLength(3);
  });

  test('ends with all its secrets, and rotation begins anew', async () => {
    const { id, plaintext } = await create('Ended');
    const { connection } = await access.client.revokeConnectionKey({ connectionId: id, actor });
    expect(connection?.secrets.every((secret) => secret.revokedAtUs !== undefined)).toBe(true);
    expect(await failure(access.client.authenticateIngestionKey(presented(plaintext)))).toMatchObject({
      code: 'invalid_credential',
    });
    const rotated = await access.client.rotateConnectionKey({ connectionId: id, actor });
    expect((await access.client.authenticateIngestionKey(presented(rotated.plaintext))).connection?.id).toBe(id);
  });

  test('rotated ten times at once from none gives two live secrets', async () => {
    const { id } = await create('Raced');
    await access.client.revokeConnectionKey({ connectionId: id, actor });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => access.client.rotateConnectionKey({ connectionId: id, actor })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(2);
    const live = (await find(id))?.secrets.filter((secret) => secret.revokedAtUs === undefined);
    expect(live).toHaveLength(2);
  });

  test.each([unknownId, 'nowhere'])('has no secret %s', async (secretId) => {
    const { id } = await create(`Without ${secretId}`);
    const call = access.client.revokeConnectionKey({ connectionId: id, secretId, actor });
    expect(await failure(call)).toMatchObject({ code: 'not_found' });
  });
});

test('connections are paged in order of creation', async () => {
  const other = await createTestProject(access.client);
  for (const name of ['c', 'a', 'b']) {
    const request = { projectId: other.projectId, name, provisioning: 'automatic', actor };
    await access.client.createConnection(request);
  }
  const first = await access.client.listConnections({ projectId: other.projectId, limit: 2 });
  const rest = await access.client.listConnections({ projectId: other.projectId, limit: 2, after: first.nextAfter });
  expect([...first.connections, ...rest.connections].map((connection) => connection.name)).toEqual(['c', 'a', 'b']);
  expect(rest.nextAfter).toBe('');
});
