export { connect, connectHealth, isServing, whyNotServing } from './client.js';
export { isMethodUnknown, isUnanswered } from './errors.js';
export { messageBytesMax } from './message-limit.js';
export { usePeers, watchPeers } from './peers.js';
export { type ServedService, served, startRpcServer } from './server.js';
export type { CallContext, Implementation, RpcClient, RpcOptions } from './service-types.js';
