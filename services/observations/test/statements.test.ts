import { findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { stores } from './stores-of-processor.js';
import { testDatabase } from './test-servers.js';

test('the statements of the processor fit the database and its role, and policies choose none of their indexes', async () => {
  await using database = await testDatabase();
  expect(await prepareStatements(database.url, 'weir_observations_tenant')).toBeGreaterThan(0);
  expect(await findOtherWalks(database.url, ['weir_observations', 'weir_observations_tenant'], fixedPlans)).toEqual([]);
});

/** What works for all projects, by its reason. */
const ofAll: Readonly<Record<string, readonly string[]>> = {
  'by the key of a series, which the variables service gave for the project of the point or of the calculation': [
    'lockCalculations',
    'raiseLastInstants',
    'selectDefinitions',
    'selectIsComputed',
    'selectIsDense',
    'selectLastInstants',
  ],
  'processors look for marks and runs of all projects': [
    'addProgress',
    'deleteCoveredMarks',
    'endRecalculations',
    'noteReported',
    'selectCandidates',
    'selectOrigins',
    'selectProgress',
    'selectRollupCandidates',
    'selectRunning',
    'selectUpstreamCandidates',
  ],
  'what is over ends by its time': ['deleteRecalculations'],
};

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await testDatabase();
  expect(await findUnscoped(database.url, 'weir_observations', stores)).toEqual({
    'where given': [],
    never: Object.values(ofAll).flat().sort(),
  });
});
