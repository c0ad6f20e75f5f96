import { prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import './stores-of-processor.js';
import { testDatabase } from './test-servers.js';

test('the statements of the processor fit the database and its role', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations')).toBeGreaterThan(0);
});
