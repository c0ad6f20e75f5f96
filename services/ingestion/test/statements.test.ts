import { createTestDatabase, findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import * as admissions from '../src/store/admissions.js';
import * as audit from '../src/store/audit.js';
import * as batches from '../src/store/batches.js';
import * as completion from '../src/store/completion.js';
import * as deviations from '../src/store/deviations.js';
import * as fileChunks from '../src/store/file-chunks.js';
import * as fileRuns from '../src/store/file-runs.js';
import * as queue from '../src/store/queue.js';
import * as retention from '../src/store/retention.js';
import * as runs from '../src/store/runs.js';
import * as schema from '../src/store/schema.js';
import * as sweep from '../src/store/sweep.js';

const stores = [
  admissions,
  audit,
  batches,
  completion,
  deviations,
  fileChunks,
  fileRuns,
  queue,
  retention,
  runs,
  schema,
  sweep,
];

test('every statement fits the migrated database and the rights of the service', async () => {
  await using database = await createTestDatabase('ingestion');
  expect(await prepareStatements(database.url, 'weir_ingestion_tenant')).toBeGreaterThan(25);
  expect(
    await findOtherWalks(database.url, ['weir_ingestion', 'weir_ingestion_tenant'], { enable_seqscan: 'off' }),
  ).toEqual([]);
});

/** What works for all projects, by its reason. */
const ofAll: Readonly<Record<string, readonly string[]>> = {
  'an operator asks of all projects, and says so': [
    'selectAllBatches',
    'selectAllDeviations',
    'selectAllFiles',
    'countQueue',
    'estimateQueue',
    'selectOldestQueued',
    'selectQueuedBatches',
  ],
  'processors name batches by their numbers, of many projects in a message': [
    'countAttempts',
    'finishFreshBatches',
    'lockBatches',
    'lockQueued',
    'selectBodies',
    'selectBody',
    'selectKnown',
    'selectQueued',
    'selectResults',
    'updateQueued',
    'upsertDeviations',
    'upsertResults',
  ],
  'a retry has found the numbers of batches in its project, and policies hold it there': [
    'requeue',
    'requeueDeviations',
    'selectPublications',
  ],
  'the sweeper looks for what the stream has lost': ['selectIsAnyOpen', 'selectStalePlaces', 'takeUnpublished'],
  'what is expired ends by its time': [
    'deleteHeldBatches',
    'deleteOldFiles',
    'deleteOldKeys',
    'expireFileRuns',
    'holdOldBatches',
  ],
};

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await createTestDatabase('ingestion');
  expect(await findUnscoped(database.url, 'weir_ingestion', stores)).toEqual({
    // an operator names none, and is taken for one of all projects then
    'where given': [
      'selectAuditEntries',
      'selectBatch',
      'selectBatchIds',
      'selectConnectionBatches',
      'selectConnectionDeviations',
      'selectConnectionFiles',
      'selectDeviation',
      'selectDeviations',
      'selectFileRun',
    ],
    never: Object.values(ofAll).flat().sort(),
  });
});
