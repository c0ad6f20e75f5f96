import { indexWalks } from '@weir/kit/sql';
import { createTestDatabase, findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import * as audit from '../src/store/audit.js';
import * as parsers from '../src/store/parsers.js';
import * as schema from '../src/store/schema.js';

const stores = [audit, parsers, schema];

test('every statement fits the migrated schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase('parsers');
  expect(await prepareStatements(database.url, 'weir_parsers_tenant')).toBeGreaterThan(6);
  expect(await findOtherWalks(database.url, ['weir_parsers', 'weir_parsers_tenant'], indexWalks)).toEqual([]);
});

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await createTestDatabase('parsers');
  expect(await findUnscoped(database.url, 'weir_parsers', stores)).toEqual({
    // an operator names none, and is taken for one of all projects then
    'where given': ['selectAuditEntries'],
    never: [],
  });
});
