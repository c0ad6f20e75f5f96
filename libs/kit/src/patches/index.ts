export { applyChange, type Given, ifGiven, isChanged, parseCleared, toChange } from './patches.js';
