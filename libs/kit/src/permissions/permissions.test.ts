import { expect, test } from 'vitest';
import { allPermissions, isPermission } from './permissions.js';

test('every permission has the public form and stands once', () => {
  expect(new Set(allPermissions).size).toBe(allPermissions.length);
  for (const permission of allPermissions) expect(permission).toMatch(/^developer_api\.[a-z_]+\.[a-z_]+$/);
});

test('knows its own and nothing else', () => {
  expect(isPermission('developer_api.observations.read')).toBe(true);
  expect(isPermission('developer_api.observations.create')).toBe(false);
  expect(isPermission('constructor')).toBe(false);
});
