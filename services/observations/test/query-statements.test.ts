import { prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import './stores-of-query.js';
import { testDatabase } from './test-servers.js';

test('the statements of the query service fit the database and its role', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations_query_tenant')).toBeGreaterThan(0);
});
