import { createTestDatabase, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/service.js';
import { root } from './started-access.js';

test('every statement fits the schema and the rights of the role', async () => {
  await using database = await createTestDatabase(root, 'access');
  expect(await prepareStatements(database.url, 'weir_access')).toBeGreaterThanOrEqual(18);
});
