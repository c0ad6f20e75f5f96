export { BufferGarbage } from './buffer-garbage.js';
export { doubleHeap } from './heap-growth.js';
