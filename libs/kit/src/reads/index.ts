export { currentCallSignal, inCall } from './call-signal.js';
export { currentReadSignal, inRead } from './read-signal.js';
