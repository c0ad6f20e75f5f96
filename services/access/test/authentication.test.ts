import { createKey, parseKey } from '@weir/kit/keys';
import { createLogger, type Logger } from '@weir/kit/log';
import { openPool } from '@weir/kit/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actor, createTestProject, failure, presented, type StartedAccess, startedAccess } from './started-access.js';

const permissions = ['developer_api.observations.read', 'developer_api.runs.list'];
let access: StartedAccess;
let organizationId: string;
let projectId: string;
const logged: string[] = [];
beforeAll(async () => {
  const log: Logger = createLogger('access', 'silent');
  log.level = 'info';
  log.info = ((event: object, message: string) => logged.push(JSON.stringify({ ...event, message }))) as never;
  access = await startedAccess(log);
  ({ organizationId, projectId } = await createTestProject(access.client));
});
afterAll(() => access[Symbol.asyncDispose]());

let names = 0;
const createDeveloperKey = (expiresAtUs?: number) =>
  access.client.createDeveloperKey({ projectId, name: `Key ${++names}`, permissions, expiresAtUs, actor });
const createConnection = (expiresAtUs?: number) => {
  const provisioning = 'strict';
  return access.client.createConnection({ projectId, name: `Line ${++names}`, provisioning, expiresAtUs, actor });
};

/** Changes the database as time would. */
async function administer(text: string, values: readonly unknown[]): Promise<void> {
  await using pool = openPool({ url: access.databaseUrl, max: 1 });
  await pool.query({ text, values });
}

describe('a Developer API key', () => {
  test('tells whose it is and what it may do', async () => {
    const { key, plaintext } = await createDeveloperKey();
    const answer = await access.client.authenticateDeveloperKey(presented(plaintext));
    expect(answer).toMatchObject({ organizationId, projectId });
    expect(answer.key).toEqual({ ...key, secrets: [] });
  });

  test('does not open ingestion', async () => {
    const { plaintext } = await createDeveloperKey();
    const error = await failure(access.client.authenticateIngestionKey(presented(plaintext)));
    expect(error.code).toBe('invalid_credential');
  });
});

describe('an ingestion key', () => {
  test('tells whose it is, and its policy', async () => {
    const { connection, plaintext } = await createConnection();
    const answer = await access.client.authenticateIngestionKey(presented(plaintext));
    expect(answer).toEqual({ organizationId, connection: { ...connection, secrets: [] } });
  });

  test('of a disabled connection is known, and says so', async () => {
    const { connection, plaintext } = await createConnection();
    await access.client.updateConnection({ connectionId: connection?.id ?? '', enabled: false, actor });
    const answer = await access.client.authenticateIngestionKey(presented(plaintext));
    expect(answer.connection).toMatchObject({ id: connection?.id, enabled: false });
  });

  test('does not open the Developer API', async () => {
    const { plaintext } = await createConnection();
    const error = await failure(access.client.authenticateDeveloperKey(presented(plaintext)));
    expect(error.code).toBe('invalid_credential');
  });
});

describe('a refusal', () => {
  test('is the same whatever its reason, which the log alone has', async () => {
    const expiresAtUs = Date.UTC(2200, 0, 1) * 1000;
    const unknown = createKey('developer', '01920000-0000-7000-8000-000000000000').plaintext;
    const { key: known } = await createDeveloperKey();
    const wrong = createKey('developer', known?.id ?? '').plaintext;
    const revoked = await createDeveloperKey();
    await access.client.revokeDeveloperKey({ keyId: revoked.key?.id ?? '', actor });
    const expired = await createDeveloperKey(expiresAtUs);
    await administer(`update access.developer_keys set expires_at = now() where id = $1`, [expired.key?.id]);
    const cases = { unknown, wrong_secret: wrong, revoked: revoked.plaintext, expired: expired.plaintext };
    for (const [reason, plaintext] of Object.entries(cases)) {
      logged.length = 0;
      const error = await failure(access.client.authenticateDeveloperKey(presented(plaintext)));
      expect({ code: error.code, message: error.message, details: error.details }).toEqual({
        code: 'invalid_credential',
        message: 'The key is unknown, revoked or expired; use a valid one.',
        details: [],
      });
      expect(logged).toEqual([expect.stringContaining(`"reason":"${reason}"`)]);
      const digest = parseKey(plaintext)?.secretSha256;
      for (const secret of [plaintext.split('_')[3], digest?.toString('hex'), digest?.toString('base64')])
        expect(logged.join()).not.toContain(secret);
    }
  });

  test('S2: comes when it would come for any reason, which the time that looking takes cannot tell', async () => {
    const { key: known } = await createDeveloperKey();
    const wrong = createKey('developer', known?.id ?? '').plaintext;
    const unknown = createKey('developer', '01920000-0000-7000-8000-000000000000').plaintext;
    for (const plaintext of [unknown, wrong]) {
      const askedMs = performance.now();
      await failure(access.client.authenticateDeveloperKey(presented(plaintext)));
      // a timer may fire within the millisecond before
      expect(performance.now() - askedMs).toBeGreaterThanOrEqual(24);
    }
  });

  test('of an expired connection', async () => {
    const { connection, plaintext } = await createConnection(Date.UTC(2200, 0, 1) * 1000);
    expect((await access.client.authenticateIngestionKey(presented(plaintext))).connection?.id).toBe(connection?.id);
    await administer(`update access.connections set expires_at = now() where id = $1`, [connection?.id]);
    const error = await failure(access.client.authenticateIngestionKey(presented(plaintext)));
    expect(error.code).toBe('invalid_credential');
    const rotation = access.client.rotateConnectionKey({ connectionId: connection?.id ?? '', actor });
    expect(await failure(rotation)).toMatchObject({ code: 'lifecycle_conflict', details: [{ code: 'expired' }] });
  });

  test.each([
    undefined,
    { keyId: '', secretSha256: Buffer.alloc(32) },
    { keyId: "' or true --", secretSha256: Buffer.alloc(32) },
    { keyId: '01920000-0000-7000-8000-000000000000', secretSha256: Buffer.alloc(0) },
    { keyId: '01920000-0000-7000-8000-000000000000', secretSha256: Buffer.alloc(33) },
  ])('of what is no key at all: %j', async (key) => {
    expect(await failure(access.client.authenticateDeveloperKey({ key }))).toMatchObject({
      code: 'invalid_credential',
    });
    expect(await failure(access.client.authenticateIngestionKey({ key }))).toMatchObject({
      code: 'invalid_credential',
    });
  });

  test('of a digest of the wrong length for a key that exists', async () => {
    const { key } = await createDeveloperKey();
    const secretSha256 = Buffer.alloc(31);
    const error = await failure(
      access.client.authenticateDeveloperKey({ key: { keyId: key?.id ?? '', secretSha256 } }),
    );
    expect(error.code).toBe('invalid_credential');
  });
});

describe('last use', () => {
  test('is stored behind the answer, once a minute', async () => {
    const { key, plaintext } = await createDeveloperKey();
    const { connection, plaintext: ingestion } = await createConnection();
    const stored = async () => {
      const client = await access.restart();
      const { keys } = await client.listDeveloperKeys({ projectId, limit: 1000 });
      const { connections } = await client.listConnections({ projectId, limit: 1000 });
      return [
        keys.find(({ id }) => id === key?.id)?.lastUsedAtUs,
        connections.find(({ id }) => id === connection?.id)?.lastUsedAtUs,
      ] as const;
    };
    const use = async () => {
      await access.client.authenticateDeveloperKey(presented(plaintext));
      await access.client.authenticateIngestionKey(presented(ingestion));
    };
    expect(await stored()).toEqual([undefined, undefined]);
    await use();
    const first = await stored();
    for (const usedAtUs of first) expect(usedAtUs).toBeGreaterThan((Date.now() - 60_000) * 1000);
    await use();
    expect(await stored()).toEqual(first);
    for (const table of ['developer_keys', 'connections'])
      await administer(`update access.${table} set last_used_at = last_used_at - interval '61 seconds'`, []);
    await use();
    const later = await stored();
    for (const kind of [0, 1] as const) expect(later[kind]).toBeGreaterThan(first[kind] ?? Number.NaN);
  });
});
