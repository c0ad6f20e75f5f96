export { currentCallSignal, currentReadSignal, inChange, inRead } from './read-signal.js';
