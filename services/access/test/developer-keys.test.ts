import { parseKey } from '@weir/kit/keys';
import { allPermissions } from '@weir/kit/permissions';
import type { CreateDeveloperKeyResponse } from '@weir/proto/access';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actor, createTestProject, failure, presented, type StartedAccess, startedAccess } from './started-access.js';

const unknownId = '01920000-0000-7000-8000-000000000000';
const permissions = ['developer_api.observations.read'];
let access: StartedAccess;
let projectId: string;
beforeAll(async () => {
  access = await startedAccess();
  ({ projectId } = await createTestProject(access.client));
});
afterAll(() => access[Symbol.asyncDispose]());

async function create(name: string): Promise<CreateDeveloperKeyResponse & { id: string }> {
  const created = await access.client.createDeveloperKey({ projectId, name, permissions, actor });
  return { ...created, id: created.key?.id ?? '' };
}

const find = async (id: string) =>
  (await access.client.listDeveloperKeys({ projectId, limit: 1000 })).keys.find((key) => key.id === id);

describe('a new key', () => {
  test('is shown once and listed without its secret', async () => {
    const expiresAtUs = Date.UTC(2200, 0, 1) * 1000 + 123_456;
    const request = { projectId, name: 'Reader', permissions, expiresAtUs, actor };
    const { key, plaintext } = await access.client.createDeveloperKey(request);
    expect(parseKey(plaintext)).toMatchObject({ kind: 'developer', id: key?.id });
    expect(key).toMatchObject({ projectId, name: 'Reader', permissions, expiresAtUs });
    expect(key?.secrets).toMatchObject([{ hint: plaintext.slice(-4), createdAtUs: key?.createdAtUs }]);
    const listed = await find(key?.id ?? '');
    expect(listed).toEqual(key);
    expect(JSON.stringify(listed)).not.toContain(plaintext.split('_')[3]);
  });

  test('has its permissions once, in the order of the table', async () => {
    const asked = [...allPermissions].reverse();
    const request = { projectId, name: 'All', permissions: [...asked, ...asked], actor };
    expect((await access.client.createDeveloperKey(request)).key?.permissions).toEqual(allPermissions);
  });

  test('tells all faults at once', async () => {
    const error = await failure(
      access.client.createDeveloperKey({
        projectId,
        name: '',
        permissions: ['developer_api.observations.read', 'developer_api.observations.write', '*'],
        expiresAtUs: 1,
        actor,
      }),
    );
    expect(error.code).toBe('invalid_request');
    expect(error.details.map(({ path, code }) => ({ path, code }))).toEqual([
      { path: '/name', code: 'invalid_name' },
      { path: '/permissions/1', code: 'unknown_permission' },
      { path: '/permissions/2', code: 'unknown_permission' },
      { path: '/expires_at', code: 'invalid_expiry' },
    ]);
  });

  test.each([unknownId, 'nowhere'])('needs a project that exists: %s', async (nowhere) => {
    const request = { projectId: nowhere, name: 'Lost', permissions, actor };
    const error = await failure(access.client.createDeveloperKey(request));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no such project.' });
    const listing = access.client.listDeveloperKeys({ projectId: nowhere, limit: 1 });
    expect(await failure(listing)).toMatchObject({ code: 'not_found' });
  });

  test('has a name that no active key of the project has; a revoked one frees it', async () => {
    const { id } = await create('Taken');
    expect(await failure(create('Taken'))).toMatchObject({ code: 'name_conflict' });
    const other = await createTestProject(access.client);
    await access.client.createDeveloperKey({ projectId: other.projectId, name: 'Taken', permissions, actor });
    await access.client.revokeDeveloperKey({ keyId: id, actor });
    await create('Taken');
  });
});

describe('rotation', () => {
  test('gives a second secret, and both open the key', async () => {
    const { id, plaintext } = await create('Rotated');
    const rotated = await access.client.rotateDeveloperKey({ keyId: id, actor });
    expect(parseKey(rotated.plaintext)?.id).toBe(id);
    expect(rotated.plaintext).not.toBe(plaintext);
    expect(rotated.key?.secrets).toHaveLength(2);
    expect(await find(id)).toEqual(rotated.key);
    for (const text of [plaintext, rotated.plaintext])
      expect((await access.client.authenticateDeveloperKey(presented(text))).key?.id).toBe(id);
  });

  test('refuses a third live secret, and takes the slot of a revoked one', async () => {
    const { id, key } = await create('Full');
    await access.client.rotateDeveloperKey({ keyId: id, actor });
    const error = await failure(access.client.rotateDeveloperKey({ keyId: id, actor }));
    expect(error).toMatchObject({ code: 'lifecycle_conflict', details: [{ code: 'two_live_secrets' }] });
    await access.client.revokeDeveloperKey({ keyId: id, secretId: key?.secrets[0]?.id ?? '', actor });
    const rotated = await access.client.rotateDeveloperKey({ keyId: id, actor });
    expect(rotated.key?.secrets.map((secret) => secret.revokedAtUs !== undefined)).toEqual([true, false, false]);
  });

  test('many at once never give three live secrets', async () => {
    const { id } = await create('Raced');
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => access.client.rotateDeveloperKey({ keyId: id, actor })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'lifecycle_conflict' });
    }
    expect((await find(id))?.secrets).toHaveLength(2);
  });

  test('at the moment of a revocation leaves no live secret on a revoked key', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create(`Ended ${round}`);
      await Promise.allSettled([
        access.client.rotateDeveloperKey({ keyId: id, actor }),
        access.client.revokeDeveloperKey({ keyId: id, actor }),
      ]);
      const key = await find(id);
      expect(key?.revokedAtUs).toBeDefined();
      // whether the rotation came first
      expect([1, 2]).toContain(key?.secrets.length);
      for (const secret of key?.secrets ?? []) expect(secret.revokedAtUs).toBeDefined();
    }
  });

  test('refuses a revoked key', async () => {
    const { id } = await create('Over');
    await access.client.revokeDeveloperKey({ keyId: id, actor });
    const error = await failure(access.client.rotateDeveloperKey({ keyId: id, actor }));
    expect(error).toMatchObject({ code: 'lifecycle_conflict', details: [{ code: 'revoked' }] });
  });
});

describe('revocation', () => {
  test('of one secret leaves the other', async () => {
    const { id, plaintext, key } = await create('Half');
    const { plaintext: second } = await access.client.rotateDeveloperKey({ keyId: id, actor });
    const request = { keyId: id, secretId: key?.secrets[0]?.id ?? '', actor };
    const revoked = await access.client.revokeDeveloperKey(request);
    expect(revoked.key?.revokedAtUs).toBeUndefined();
    expect(await failure(access.client.authenticateDeveloperKey(presented(plaintext)))).toMatchObject({
      code: 'invalid_credential',
    });
    expect((await access.client.authenticateDeveloperKey(presented(second))).key?.id).toBe(id);
    expect(await access.client.revokeDeveloperKey(request)).toEqual(revoked);
  });

  test('of the key ends all, once', async () => {
    const { id, plaintext } = await create('Gone');
    const { plaintext: second } = await access.client.rotateDeveloperKey({ keyId: id, actor });
    const revoked = await access.client.revokeDeveloperKey({ keyId: id, actor });
    expect(revoked.key?.revokedAtUs).toBeDefined();
    for (const text of [plaintext, second])
      expect(await failure(access.client.authenticateDeveloperKey(presented(text)))).toMatchObject({
        code: 'invalid_credential',
      });
    const again = await access.client.revokeDeveloperKey({ keyId: id, actor: { type: 'user', id: 'another' } });
    expect(again).toEqual(revoked);
  });

  test.each([unknownId, 'nowhere'])('of a key or secret that is not there is not_found: %s', async (nowhere) => {
    const { id } = await create(`With ${nowhere}`);
    expect(await failure(access.client.revokeDeveloperKey({ keyId: nowhere, actor }))).toMatchObject({
      code: 'not_found',
      message: 'There is no such key.',
    });
    const ofSecret = access.client.revokeDeveloperKey({ keyId: id, secretId: nowhere, actor });
    expect(await failure(ofSecret)).toMatchObject({ code: 'not_found' });
    expect(await failure(access.client.rotateDeveloperKey({ keyId: nowhere, actor }))).toMatchObject({
      code: 'not_found',
    });
  });

  test('does not reach the secret of another key', async () => {
    const one = await create('One');
    const two = await create('Two');
    const request = { keyId: one.id, secretId: two.key?.secrets[0]?.id ?? '', actor };
    expect(await failure(access.client.revokeDeveloperKey(request))).toMatchObject({ code: 'not_found' });
    expect((await access.client.authenticateDeveloperKey(presented(two.plaintext))).key?.id).toBe(two.id);
  });

  test('needs an actor, as rotation does', async () => {
    const { id } = await create('Nobody');
    for (const call of [
      () => access.client.revokeDeveloperKey({ keyId: id }),
      () => access.client.rotateDeveloperKey({ keyId: id }),
    ])
      expect(await failure(call())).toMatchObject({ code: 'invalid_request', details: [{ path: '/actor' }] });
  });
});

test('keys are paged in order of creation', async () => {
  const other = await createTestProject(access.client);
  for (const name of ['c', 'a', 'b'])
    await access.client.createDeveloperKey({ projectId: other.projectId, name, permissions, actor });
  const first = await access.client.listDeveloperKeys({ projectId: other.projectId, limit: 2 });
  expect(first.keys.map((key) => key.name)).toEqual(['c', 'a']);
  const rest = await access.client.listDeveloperKeys({
    projectId: other.projectId,
    limit: 2,
    after: first.nextAfter,
  });
  expect(rest.keys.map((key) => key.name)).toEqual(['b']);
  expect(rest.nextAfter).toBe('');
});
