import { createTestDatabase, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/service.js';

test('every statement fits the migrated schema and the rights of the role', async () => {
  await using database = await createTestDatabase(new URL('../../..', import.meta.url).pathname, 'variables');
  expect(await prepareStatements(database.url, 'weir_variables_tenant')).toBeGreaterThan(20);
});
