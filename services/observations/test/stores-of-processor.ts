/** Every store with statements that the processor runs. */
import * as backlog from '../src/store/backlog.js';
import * as calculations from '../src/store/calculations.js';
import * as changeRetention from '../src/store/change-retention.js';
import * as changedRows from '../src/store/changed-rows.js';
import * as changes from '../src/store/changes.js';
import * as claims from '../src/store/claims.js';
import * as dirty from '../src/store/dirty.js';
import * as inputs from '../src/store/inputs.js';
import * as markReaders from '../src/store/mark-readers.js';
import * as observations from '../src/store/observations.js';
import * as projectLocks from '../src/store/project-locks.js';
import * as readers from '../src/store/readers.js';
import * as recalculations from '../src/store/recalculations.js';
import * as results from '../src/store/results.js';
import * as rollups from '../src/store/rollups.js';
import * as schema from '../src/store/schema.js';
import * as series from '../src/store/series.js';
import * as storedBatches from '../src/store/stored-batches.js';
import * as takenRanges from '../src/store/taken-ranges.js';
import * as workLocks from '../src/store/work-locks.js';

export const stores = [
  backlog,
  calculations,
  changeRetention,
  changedRows,
  changes,
  claims,
  dirty,
  inputs,
  markReaders,
  observations,
  projectLocks,
  readers,
  recalculations,
  results,
  rollups,
  schema,
  series,
  storedBatches,
  takenRanges,
  workLocks,
];
