export { BufferGarbage } from './buffer-garbage.js';
export { tuneCollections } from './tune-collections.js';
