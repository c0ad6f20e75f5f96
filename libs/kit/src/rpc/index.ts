export type { RpcOptions } from './call-unary.js';
export { connect, isServing, type RpcClient } from './client.js';
export { isMethodUnknown, isUnanswered } from './errors.js';
export type { CallContext, Implementation } from './implementation.js';
export { messageBytesMax } from './message-limit.js';
export { usePeers } from './peers.js';
export { type ServedService, served, startRpcServer } from './server.js';
