export { BufferGarbage } from './buffer-garbage.js';
export { InProgress, type Placed } from './in-progress.js';
export { tuneCollections } from './tune-collections.js';
