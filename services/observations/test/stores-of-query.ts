/** Every store with statements that the query service runs. */
import * as buckets from '../src/store/buckets.js';
import * as changedRanges from '../src/store/changed-ranges.js';
import * as costlyBuckets from '../src/store/costly-buckets.js';
import * as exports from '../src/store/export.js';

import * as instrumentInstants from '../src/store/instrument-instants.js';
import * as neighbours from '../src/store/neighbours.js';
import * as pages from '../src/store/pages.js';
import * as rolledBuckets from '../src/store/rolled-buckets.js';
import * as scanEstimate from '../src/store/scan-estimate.js';
import * as schema from '../src/store/schema.js';

export const stores = [
  buckets,
  costlyBuckets,
  changedRanges,
  exports,
  instrumentInstants,
  neighbours,
  pages,
  rolledBuckets,
  scanEstimate,
  schema,
];
