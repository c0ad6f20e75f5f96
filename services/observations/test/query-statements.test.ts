import { prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/buckets.js';
import '../src/store/costly-buckets.js';
import '../src/store/changed-ranges.js';
import '../src/store/export.js';
import '../src/store/instrument-instants.js';
import '../src/store/neighbours.js';
import '../src/store/pages.js';
import '../src/store/rolled-buckets.js';
import '../src/store/schema.js';
import { testDatabase } from './test-servers.js';

test('the statements of the query service fit the database and its role', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations_query')).toBeGreaterThan(0);
});
