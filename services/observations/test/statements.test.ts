import { findOtherWalks, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { fixedPlans } from '../src/store/fixed-plans.js';
import './stores-of-processor.js';
import { testDatabase } from './test-servers.js';

test('the statements of the processor fit the database and its role, and policies choose none of their indexes', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations_tenant')).toBeGreaterThan(0);
  expect(await findOtherWalks(database.url, ['weir_observations', 'weir_observations_tenant'], fixedPlans)).toEqual([]);
});
