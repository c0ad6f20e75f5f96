export { BufferGarbage } from './buffer-garbage.js';
