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
    'insertMarks',
    'lockCalculations',
    'lockUnchangedRows',
    'noteChanges',
    'selectDefinitions',
    'selectEmptyRanges',
    'selectInstantsBetween',
    'selectIsComputed',
    'selectLastInstants',
    'selectNextInstants',
    'selectReaders',
    'selectSupersededRows',
    'upsertObservations',
  ],
  'by the keys of a definition that was taken over for its project: the variable whose calculation the transaction holds, and its inputs':
    [
      'countInstants',
      'countSharedInstants',
      'deleteEdges',
      'deleteResults',
      'deleteResultsWithin',
      'insertEdges',
      'insertRunMarks',
      'putResults',
      'selectAscending',
      'selectDescending',
      'subtractFromMarks',
      'takeUpMarks',
    ],
  'processors look for marks and runs of all projects': [
    'addProgress',
    'deleteCoveredMarks',
    'endRecalculations',
    'failRecalculation',
    'noteReported',
    'selectCandidates',
    'selectOrigins',
    'selectProgress',
    'selectRollupCandidates',
    'selectRunning',
    'selectUpstreamCandidates',
  ],
  'marks of the variables that were found so': [
    'countAttempt',
    'deleteMarks',
    'noteInstants',
    'putMarksAside',
    'selectLiveKeys',
    'selectMarks',
    'shrinkMark',
  ],
  'rollups of the series that were found so': [
    'deleteRollups',
    'insertRollups',
    'selectChangedHours',
    'selectIsDense',
    'selectRollupState',
    'selectValues',
    'upsertRollupState',
  ],
  'how much there is to do for all is a metric': ['selectBacklog'],
  'batches by their public ids, which are random': ['selectStoredBatches'],
  'what is over ends by its time': ['deleteChanges', 'deleteOldStoredBatches', 'deleteRecalculations'],
};

/** Numbers of transactions, and of changes that were taken over. */
const ofNoProject = ['observations.change_horizons', 'observations.taken_changes'];

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await testDatabase();
  expect(await findUnscoped(database.url, 'weir_observations', stores, ofNoProject)).toEqual({
    'where given': [],
    never: Object.values(ofAll).flat().sort(),
  });
});
