export { applyChange, ifGiven, parseCleared, toChange } from './patches.js';
