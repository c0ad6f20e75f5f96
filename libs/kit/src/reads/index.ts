export { currentReadSignal, inRead } from './read-signal.js';
