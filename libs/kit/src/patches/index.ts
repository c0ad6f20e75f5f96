export { applyChange, ifGiven, isChanged, parseCleared, toChange } from './patches.js';
