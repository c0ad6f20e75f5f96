import { allPermissions } from '@weir/kit/permissions';
import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller } from './calls.js';
import { type DocumentedOperation, errorOf, readServedDocument } from './served-document.js';

/**
 * Every operation of the served document with keys that may do one thing each. What an operation should want
 * follows from its method and path by the rule of the contract, not from what it is declared with.
 */
const stack = await openTestStack({
  envOf: { gateway: { LIMIT_FAILED_CREDENTIALS_BURST: '100000', LIMIT_DEVELOPER_REQUESTS_BURST: '100000' } },
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

const tenant = await createTenant(stack.addresses.access);
const { operations } = await readServedDocument(stack.gatewayUrl);
const call = createCaller(
  stack.gatewayUrl,
  { developer: tenant.developerKey, ingestion: tenant.ingestionKey },
  tenant.projectId,
);

const project = '/dev-api/v1/p/{project_id}/';
/** What stands below the record of another family: the family that the permission names. */
const nestedFamilies: Readonly<Record<string, string>> = {
  'dashboards/widgets': 'dashboards',
  'instrument-groups/members': 'instrument_group_members',
};
/** Last words of a path that say what is done, and by which permission it may be. */
const doneByWord: Readonly<Record<string, string>> = {
  archive: 'archive',
  restore: 'restore',
  preview: 'preview',
  export: 'export',
  latest: 'read',
};
const doneByMethod: Readonly<Record<string, string>> = {
  PATCH: 'update',
  PUT: 'add',
  DELETE: 'remove',
  POST: 'create',
};

/** The permission that the contract gives an operation; undefined where a key of its kind is enough. */
function expectedPermission({ method, path }: DocumentedOperation): string | undefined {
  if (!path.startsWith(project)) return undefined;
  const parts = path.slice(project.length).split('/');
  const word = doneByWord[parts.at(-1) ?? ''];
  const names = (word === undefined ? parts : parts.slice(0, -1)).filter((part) => !part.startsWith('{'));
  const family = nestedFamilies[names.join('/')] ?? names.at(-1)?.replaceAll('-', '_');
  // widgets are read with their dashboard, and observations have no list
  const isItem = parts.at(-1)?.startsWith('{') || names.at(-1) === 'widgets' || family === 'observations';
  const action = word ?? doneByMethod[method] ?? (isItem ? 'read' : 'list');
  return `developer_api.${family}.${action}`;
}

const ofProject = operations.filter((operation) => expectedPermission(operation) !== undefined);
const others = operations.filter((operation) => expectedPermission(operation) === undefined);

/** A key of the project that has the permissions given. */
async function createKey(permissions: readonly string[]): Promise<string> {
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  const { plaintext } = await access.createDeveloperKey({
    projectId: tenant.projectId,
    name: permissions.join() || 'none',
    permissions: [...permissions],
    actor: { type: 'user', id: 'test' },
  });
  return plaintext;
}

test('S6: each operation is declared with the permission that its method and path ask for', () => {
  const declared = operations.map(({ operationId, 'x-weir-permission': permission }) => [operationId, permission]);
  expect(declared).toEqual(operations.map((operation) => [operation.operationId, expectedPermission(operation)]));
  expect(new Set(ofProject.map(expectedPermission))).toEqual(new Set(allPermissions));
});

test.each([
  { what: 'no permission', permissions: [] },
  ...allPermissions.map((permission) => ({ what: `${permission} alone`, permissions: [permission] })),
])(
  'S6: a key with $what opens what is its own, and nothing else',
  async ({ permissions }: { permissions: readonly string[] }) => {
    const key = await createKey(permissions);
    const opened: string[] = [];
    for (const operation of ofProject) {
      const answer = await call(operation, { key });
      expect(answer.status, operation.operationId).not.toBe(401);
      const isRefused = answer.status === 403 && errorOf(answer).code === 'permission_denied';
      if (!isRefused) opened.push(operation.operationId);
    }
    const own = ofProject.filter((operation) => permissions.includes(expectedPermission(operation) ?? ''));
    expect(opened).toEqual(own.map(({ operationId }) => operationId));
    expect(opened.length > 0).toBe(permissions.length > 0);
    for (const operation of others) {
      const answer = await call(operation, operation.keyKind === undefined ? {} : { key });
      expect(answer.status, operation.operationId).toBe(operation.keyKind === 'ingestion' ? 401 : 200);
      if (operation.operationId === 'developerapi_permissions')
        expect(JSON.parse(answer.text).data.permissions).toEqual(permissions);
    }
  },
);
