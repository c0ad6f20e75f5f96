import { prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/calculations.js';
import '../src/store/changed-rows.js';
import '../src/store/claims.js';
import '../src/store/dirty.js';
import '../src/store/inputs.js';
import '../src/store/mark-readers.js';
import '../src/store/observations.js';
import '../src/store/project-locks.js';
import '../src/store/readers.js';
import '../src/store/recalculations.js';
import '../src/store/results.js';
import '../src/store/schema.js';
import '../src/store/series.js';
import '../src/store/taken-ranges.js';
import { testDatabase } from './test-servers.js';

test('the statements of the processor fit the database and its role', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations')).toBeGreaterThan(0);
});
