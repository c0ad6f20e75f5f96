export { applyChange, ifGiven, toChange } from './patches.js';
