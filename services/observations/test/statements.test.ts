import { prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/change-retention.js';
import '../src/store/changes.js';
import '../src/store/observations.js';
import '../src/store/rollups.js';
import '../src/store/schema.js';
import '../src/store/series.js';
import { testDatabase } from './test-servers.js';

test('the statements of the processor fit the database and its role', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations')).toBeGreaterThan(0);
});
