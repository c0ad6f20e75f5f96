import { createTestDatabase, findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import * as audit from '../src/store/audit.js';
import * as authentication from '../src/store/authentication.js';
import * as connections from '../src/store/connections.js';
import * as developerKeys from '../src/store/developer-keys.js';
import * as organizations from '../src/store/organizations.js';
import * as projects from '../src/store/projects.js';
import * as schema from '../src/store/schema.js';
import * as secrets from '../src/store/secrets.js';

const stores = [audit, authentication, connections, developerKeys, organizations, projects, schema, secrets];

test('every statement fits the schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase('access');
  expect(await prepareStatements(database.url, 'weir_access_tenant')).toBeGreaterThanOrEqual(18);
  expect(await findOtherWalks(database.url, ['weir_access', 'weir_access_tenant'], { enable_seqscan: 'off' })).toEqual(
    [],
  );
});

/** What works for all projects, by its reason. */
const ofAll: Readonly<Record<string, readonly string[]>> = {
  'whose a key is tells its project': ['selectConnectionCandidate', 'selectDeveloperKeyCandidate'],
  'an operator names a key or a connection alone': [
    'insertSecret',
    'lockDeveloperKey',
    'revokeDeveloperKey',
    'revokeSecrets',
    'selectConnection',
    'selectDeveloperKey',
    'updateConnection',
  ],
  'an operator lists projects of all organizations, or of one': ['selectProjects'],
  'uses of all keys are stored together': ['updateConnectionsLastUsed', 'updateDeveloperKeysLastUsed'],
};

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await createTestDatabase('access');
  expect(await findUnscoped(database.url, 'weir_access', stores, ['access.organizations'])).toEqual({
    // an operator names none, and is taken for one of all projects then
    'where given': ['selectAuditEntries'],
    never: Object.values(ofAll).flat().sort(),
  });
});
