/** Every store with statements that the processor runs. */
import '../src/store/calculations.js';
import '../src/store/change-retention.js';
import '../src/store/changed-rows.js';
import '../src/store/changes.js';
import '../src/store/claims.js';
import '../src/store/dirty.js';
import '../src/store/inputs.js';
import '../src/store/mark-readers.js';
import '../src/store/observations.js';
import '../src/store/project-locks.js';
import '../src/store/readers.js';
import '../src/store/recalculations.js';
import '../src/store/results.js';
import '../src/store/rollups.js';
import '../src/store/schema.js';
import '../src/store/series.js';
import '../src/store/taken-ranges.js';
