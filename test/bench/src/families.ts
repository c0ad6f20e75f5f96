import { admissionWal } from './families/admission-wal.js';
import { batches } from './families/batches.js';
import { calculatedPoints } from './families/calculated-points.js';
import { catalog } from './families/catalog.js';
import { coveringIndex } from './families/covering-index.js';
import { drains } from './families/drains.js';
import { engines } from './families/engines.js';
import { exports } from './families/exports.js';
import { growth } from './families/growth.js';
import { hostile } from './families/hostile.js';
import { latencies } from './families/latencies.js';
import { lists } from './families/lists.js';
import { loggerFiles } from './families/logger-files.js';
import { lonePoints } from './families/lone-points.js';
import { peerReads } from './families/peer-reads.js';
import { peerWrites } from './families/peer-writes.js';
import { pointForms } from './families/point-forms.js';
import { reads } from './families/reads.js';
import { recalculations } from './families/recalculations.js';
import { refusalTimes } from './families/refusal-times.js';
import { refusals } from './families/refusals.js';
import { replays } from './families/replays.js';
import { rpcForms } from './families/rpc-forms.js';
import { telemetry } from './families/telemetry.js';
import type { Family } from './ratio.js';

/** All that is measured, in the order of the run. */
export const families: readonly Family[] = [
  batches,
  lonePoints,
  replays,
  latencies,
  drains,
  peerWrites,
  calculatedPoints,
  recalculations,
  admissionWal,
  pointForms,
  rpcForms,
  refusals,
  reads,
  coveringIndex,
  exports,
  peerReads,
  lists,
  engines,
  loggerFiles,
  catalog,
  growth,
  telemetry,
  hostile,
  refusalTimes,
];
