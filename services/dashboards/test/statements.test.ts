import { indexWalks } from '@weir/kit/sql';
import { createTestDatabase, findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import * as audit from '../src/store/audit.js';
import * as dashboards from '../src/store/dashboards.js';
import * as schema from '../src/store/schema.js';
import * as widgets from '../src/store/widgets.js';

const stores = [audit, dashboards, schema, widgets];

test('every statement fits the migrated schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase('dashboards');
  expect(await prepareStatements(database.url, 'weir_dashboards_tenant')).toBeGreaterThan(11);
  expect(await findOtherWalks(database.url, ['weir_dashboards', 'weir_dashboards_tenant'], indexWalks)).toEqual([]);
});

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await createTestDatabase('dashboards');
  expect(await findUnscoped(database.url, 'weir_dashboards', stores)).toEqual({
    // an operator names none, and is taken for one of all projects then
    'where given': ['selectAuditEntries'],
    never: [],
  });
});
