import { findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { stores } from './stores-of-query.js';
import { testDatabase } from './test-servers.js';

test('the statements of the query service fit the database and its role, and policies choose none of their indexes', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations_query_tenant')).toBeGreaterThan(0);
  expect(
    await findOtherWalks(database.url, ['weir_observations_query', 'weir_observations_query_tenant'], fixedPlans),
  ).toEqual([]);
});

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await testDatabase();
  expect(await findUnscoped(database.url, 'weir_observations_query', stores, ['observations.change_horizons'])).toEqual(
    {
      'where given': [],
      never: [],
    },
  );
});
