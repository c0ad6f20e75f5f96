/** Every store with statements that the query service runs. */
import '../src/store/buckets.js';
import '../src/store/costly-buckets.js';
import '../src/store/changed-ranges.js';
import '../src/store/export.js';
import '../src/store/instrument-instants.js';
import '../src/store/neighbours.js';
import '../src/store/pages.js';
import '../src/store/rolled-buckets.js';
import '../src/store/scan-estimate.js';
import '../src/store/schema.js';
