import { unavailable, WeirError } from '@weir/kit/errors';
import { newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import { describe, expect, test } from 'vitest';
import type { CredentialHeaders } from '../http/ports.js';
import { type AccessClient, createAuthenticator } from './authenticator.js';

const id = newId();
const developerKey = createKey('developer', id).plaintext;
const ingestionKey = createKey('ingestion', id).plaintext;
const caller = { address: '192.0.2.1', requestId: 'r', signal: new AbortController().signal };

/** An access service that knows two keys, and counts what it is asked. */
function accessWith(failure?: WeirError) {
  const asked: (string | undefined)[] = [];
  const answer = <T>(keyId: string | undefined, found: T): Promise<T> => {
    asked.push(keyId);
    return failure === undefined ? Promise.resolve(found) : Promise.reject(failure);
  };
  const times = { createdAtUs: 1, secrets: [] };
  const key = { ...times, id, projectId: 'p', name: 'n', permissions: ['developer_api.runs.list'], expiresAtUs: 2 };
  const connection = { ...times, id, projectId: 'p', name: 'n', provisioning: 'strict', enabled: false };
  const access: AccessClient = {
    authenticateDeveloperKey: ({ key: presented }) =>
      answer(presented?.keyId, { organizationId: 'o', projectId: 'p', key }),
    authenticateIngestionKey: ({ key: presented }) => answer(presented?.keyId, { organizationId: 'o', connection }),
  };
  return { authenticator: createAuthenticator(access, 10), asked };
}

const headers = (given: Partial<CredentialHeaders>): CredentialHeaders => ({
  authorization: undefined,
  xApiKey: undefined,
  ...given,
});

describe('a Developer API key', () => {
  test('tells whose it is, and is asked about once', async () => {
    const { authenticator, asked } = accessWith();
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ']) {
      expect(await authenticator.developer(headers({ authorization: scheme + developerKey }), caller)).toEqual({
        kind: 'developer',
        organizationId: 'o',
        projectId: 'p',
        keyId: id,
        keyName: 'n',
        permissions: ['developer_api.runs.list'],
        createdAtUs: 1,
        expiresAtUs: 2,
      });
    }
    expect(asked).toEqual([id]);
  });

  test.each<[string, Partial<CredentialHeaders>, string]>([
    ['no header', {}, 'unauthenticated'],
    ['X-API-Key alone', { xApiKey: developerKey }, 'unauthenticated'],
    ['another scheme', { authorization: 'Basic dTpw' }, 'invalid_credential'],
    ['no key', { authorization: 'Bearer' }, 'invalid_credential'],
    ['two keys', { authorization: `Bearer ${developerKey} ${developerKey}` }, 'invalid_credential'],
    ['a wrong checksum', { authorization: `Bearer ${developerKey.slice(0, -1)}-` }, 'invalid_credential'],
    ['an ingestion key', { authorization: `Bearer ${ingestionKey}` }, 'invalid_credential'],
  ])('%s is refused before any lookup', async (_, given, code) => {
    const { authenticator, asked } = accessWith();
    await expect(authenticator.developer(headers(given), caller)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });
});

describe('an ingestion key', () => {
  test.each<[string, Partial<CredentialHeaders>]>([
    ['X-API-Key', { xApiKey: ingestionKey }],
    ['Bearer', { authorization: `Bearer ${ingestionKey}` }],
    ['both', { xApiKey: ingestionKey, authorization: `Bearer ${ingestionKey}` }],
    ["X-API-Key beside a proxy's Basic", { xApiKey: ingestionKey, authorization: 'Basic dTpw' }],
  ])('is read from %s', async (_, given) => {
    const { authenticator } = accessWith();
    expect(await authenticator.ingestion(headers(given), caller)).toEqual({
      kind: 'ingestion',
      organizationId: 'o',
      projectId: 'p',
      connectionId: id,
      provisioning: 'strict',
      enabled: false,
    });
  });

  test.each<[string, Partial<CredentialHeaders>, string]>([
    ['neither header', {}, 'unauthenticated'],
    ['an empty X-API-Key', { xApiKey: '' }, 'invalid_credential'],
    ['a Developer API key', { xApiKey: developerKey }, 'invalid_credential'],
    ['a Developer API key as Bearer', { authorization: `Bearer ${developerKey}` }, 'invalid_credential'],
    ['two keys', { xApiKey: ingestionKey, authorization: `Bearer ${developerKey}` }, 'invalid_credential'],
    ['another scheme', { authorization: 'Basic dTpw' }, 'invalid_credential'],
  ])('%s is refused before any lookup', async (_, given, code) => {
    const { authenticator, asked } = accessWith();
    await expect(authenticator.ingestion(headers(given), caller)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });
});

test('a refusal has one message, whatever the reason', async () => {
  const { authenticator } = accessWith(new WeirError('invalid_credential', 'revoked'));
  const texts = ['nonsense', developerKey, ingestionKey].map((key) => `Bearer ${key}`);
  const messages = texts.map((authorization) =>
    authenticator.developer(headers({ authorization }), caller).catch((error: WeirError) => error.message),
  );
  expect(new Set(await Promise.all(messages)).size).toBe(1);
});

test('an access service that is away is a dependency that is', async () => {
  const { authenticator } = accessWith(unavailable('The access service does not answer.'));
  await expect(
    authenticator.developer(headers({ authorization: `Bearer ${developerKey}` }), caller),
  ).rejects.toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
});
