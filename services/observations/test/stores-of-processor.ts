/** Every store with statements that the processor runs. */
import '../src/store/change-retention.js';
import '../src/store/changes.js';
import '../src/store/observations.js';
import '../src/store/rollups.js';
import '../src/store/schema.js';
import '../src/store/series.js';
