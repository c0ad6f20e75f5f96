import { createTestDatabase, findOtherWalks, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/service.js';
import { root } from './started-access.js';

test('every statement fits the schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase(root, 'access');
  expect(await prepareStatements(database.url, 'weir_access_tenant')).toBeGreaterThanOrEqual(18);
  expect(await findOtherWalks(database.url, ['weir_access', 'weir_access_tenant'], { enable_seqscan: 'off' })).toEqual(
    [],
  );
});
